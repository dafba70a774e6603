"""What the reader gets right, and which bounds it is trusted with."""
