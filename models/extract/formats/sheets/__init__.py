"""What all spreadsheet readers share: how a value is shown, what a sheet holds, and how sheets become pages."""
