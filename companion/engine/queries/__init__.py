"""What is asked of a position: previews, explanations, audits, odds, answers set ahead."""
