"""Knowledge of a box without looking at pictures: dice, profile, printed sheet, learned prints."""
