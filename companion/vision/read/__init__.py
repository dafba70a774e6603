"""From pictures of one rest to a reading: looks at dice, evidence, prints and the decision."""
