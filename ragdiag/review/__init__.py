"""What people should label, and the page on which they do it."""
