"""What is printed on a page as lines and marks, before anyone decides what it means."""
