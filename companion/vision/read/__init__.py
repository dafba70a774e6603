"""From looks at one rest to a reading: signs, prints, the decision, and what is doubtful."""
