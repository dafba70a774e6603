"""From pictures of one rest to a reading: looks, signs, prints and the decision."""
