"""The set-up of a camera and a box of dice: checks of the picture, prints of each face, a test."""
