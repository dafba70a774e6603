"""Words for what the engine names: keys of catalogues, findings of an audit, rulebook clauses."""
