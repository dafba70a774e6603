"""Reads and writes each catalogue as Weblate does (go-i18n v2 JSON): `make catalogues`.

translate-toolkit is under the GPL: it stays in an environment and a process of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from translate.storage.jsonl10n import GoI18NV2JsonFile

FOLDER = Path(__file__).parent.parent / "webui" / "locales"
CHANGED = "A translator was here"


def read(content: bytes, language: str) -> Any:
    """Return the catalogue as translators get it."""
    store = GoI18NV2JsonFile()
    store.parse(content)
    store.settargetlanguage(language)
    return store


def problems(path: Path) -> list[str]:
    """What would be lost or changed when translators save this catalogue."""
    content = path.read_bytes()
    before = json.loads(content)
    found = []
    store = read(content, path.stem)
    if json.loads(bytes(store)) != before:
        found.append("saved unchanged, it differs")
    units = {unit.getid(): unit for unit in store.units}
    if units.keys() != before.keys():
        found.append("not every sentence is one unit")
    for key, entry in before.items():
        forms = 1 if isinstance(entry, str) else len(entry)
        shown = len(getattr(units[key].target, "strings", ("",))) if key in units else 0
        if shown != forms:
            found.append(f"{key}: {forms} plural forms, translators see {shown}")
    units["title"].target = CHANGED
    if json.loads(bytes(store)) != {**before, "title": CHANGED}:
        found.append("saved with one change, more than that differs")
    return found


def main() -> int:
    """Print a line for each catalogue; return 1 if one would not survive."""
    failed = False
    for path in sorted(FOLDER.glob("*.json")):
        found = problems(path)
        failed |= bool(found)
        print(json.dumps({"catalogue": path.name, "problems": found}, ensure_ascii=False))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
