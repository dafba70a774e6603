"""The drawings printed on dice faces: the project's own, and icons and numerals of packages."""
