"""What phones show, made of a snapshot: position, questions, log, previews, reasons."""
