"""What is printed on the faces: drawings of our own, icons and numerals of packages."""
