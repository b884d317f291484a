"""What readers of formats that flow share: blocks while a file is read, their text, the open document of them."""
