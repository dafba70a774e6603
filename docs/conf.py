"""How Sphinx builds the site; `make docs` does it.

The source folder is the repository, so that pages link to the model cards and to CONTRIBUTING by
the same relative paths as in a checkout.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

project = "Monster Table"
author = "Monster Table contributors"
copyright = author  # no year: the same pages next year
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "tools.site"]
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types in signatures have no page
# `…` stands for what was left out of JSON; then a block has no colours, which harms nobody.
suppress_warnings = ["misc.highlighting_failure"]

root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "companion/engine/games/*/rules.md",
    "models/*.md",
    "models/value/*.md",
]
_PARTS = {"docs", "companion", "models", "CHANGELOG.md", "CONTRIBUTING.md"}
# Sphinx walks through every folder that is not excluded.
exclude_patterns = [
    *sorted(path.name for path in ROOT.iterdir() if path.name not in _PARTS),
    "docs/screens",
    "models/cache",
    "**/__pycache__",
]

html_theme = "furo"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#4d6800", "color-brand-content": "#4d6800"},
    "dark_css_variables": {"color-brand-primary": "#b6d93a", "color-brand-content": "#b6d93a"},
}
html_title = f"Monster Table {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "moved.html"}
templates_path = ["_templates"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_use_index = False
html_domain_indices = False
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
