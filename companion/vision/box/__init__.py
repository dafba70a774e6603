"""The reader's data about one box and camera: dice rules, profile, printed sheet, prints."""
