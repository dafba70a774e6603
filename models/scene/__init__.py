"""Scenes with dice as cheap cameras show them, drawn in software."""
