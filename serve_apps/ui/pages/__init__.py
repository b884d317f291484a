"""The pages of the dashboard and the forms on them."""
