"""The copyright file of the Debian package: a paragraph for each wheel that it carries (DEP-5).

The texts are those that the wheels bring; what a wheel contains of others stands beside them, in
the folder `licences`.
"""

from __future__ import annotations

import gzip
import re
from email.message import Message
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

TEXTS = re.compile(r"(licen[cs]e|copying|notice|authors|thirdparty)", re.IGNORECASE)
HOLDER = re.compile(r"^\W*copyright\s+((?:\(c\)|©)?\s*\d{4}.*)$", re.IGNORECASE | re.MULTILINE)

BUNDLED = re.compile(r"^-{4,}$", re.MULTILINE)
"""Begins what a text says of other projects whose code is in the wheel."""

WRITTEN_OTHERWISE = {
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "MIT License": "MIT",
    "3-Clause BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
}
"""What wheels without an SPDX expression call their licence."""

NOTES = {
    "opencv-python-headless": "The wheel contains FFmpeg under the LGPL-2.1, see"
    " /usr/share/common-licenses/LGPL-2.1; its sources are those of the wheel's project.",
    "numpy": "The wheel contains OpenBLAS (BSD-3-Clause) and GCC's libgfortran (GPL-3.0 with the"
    " GCC Runtime Library Exception), see licences/numpy.",
}
COMMON = {"Apache-2.0": "/usr/share/common-licenses/Apache-2.0"}
"""Licences that every Debian has."""


class LicenceError(Exception):
    """A wheel does not say what its licence is; the message names it."""


def licence_of(metadata: Message) -> str:
    """Return the SPDX expression of a wheel. LicenceError where it has none that is known."""
    classifiers = [value for value in metadata.get_all("Classifier", []) if "License ::" in value]
    for given in (metadata["License-Expression"], metadata["License"], *classifiers):
        if given and (given in WRITTEN_OTHERWISE or given == metadata["License-Expression"]):
            return str(WRITTEN_OTHERWISE.get(given, given))
        if given == "MIT":
            return "MIT"
    raise LicenceError(f"{metadata['Name']} names no licence that is known")


def _texts(archive: ZipFile) -> dict[str, bytes]:
    """Return the licence texts of a wheel by name, its own first and each once."""
    names = [
        name
        for name in archive.namelist()
        if TEXTS.search(PurePosixPath(name).name) and not name.endswith((".py", "/"))
    ]
    names.sort(key=lambda name: (".dist-info/" not in name, name.count("/"), name))
    found: dict[str, bytes] = {}
    for name in names:
        content = archive.read(name)
        if content not in found.values():
            found[name] = content
    return found


def _paragraph(lines: str) -> str:
    return "\n".join(f" {line.rstrip()}" if line.strip() else " ." for line in lines.splitlines())


def _text_of(name: str, licence: str, texts: dict[str, bytes]) -> str:
    if licence in COMMON:
        return f"The text is in {COMMON[licence]}."
    if not texts:
        raise LicenceError(f"{name} brings no text of its licence")
    text = next(iter(texts.values())).decode("utf-8", "replace")
    return BUNDLED.split(text)[0].strip()


def write_copyright(doc: Path, own: Path, wheels: Path) -> None:
    """Write `copyright` into the folder, and what the wheels bring into `licences` beside it."""
    paragraphs = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        "Upstream-Name: monster-table",
        "Files: *\nCopyright: Monster Table contributors\nLicense: MIT\n"
        + _paragraph(own.read_text("utf-8")),
    ]
    seen: set[str] = {"monster-table"}
    for wheel in sorted(wheels.glob("*.whl")):
        with ZipFile(wheel) as archive:
            (path,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            metadata = BytesParser().parsebytes(archive.read(path))
            name = str(metadata["Name"]).lower()
            if name in seen:
                continue
            seen.add(name)
            texts = _texts(archive)
        licence = licence_of(metadata)
        main = next(iter(texts.values()), b"").decode("utf-8", "replace")
        holder = HOLDER.search(main)
        author = metadata["Author"] or metadata["Author-email"] or f"the authors of {name}"
        lines = [
            f"Files: usr/lib/monster-table/wheels/{wheel.name.split('-')[0]}-*.whl",
            f"Copyright: {holder[1].strip() if holder else author}",
        ]
        if name in NOTES:
            lines.append(f"Comment:\n{_paragraph(NOTES[name])}")
        lines.append(f"License: {licence}\n{_paragraph(_text_of(name, licence, texts))}")
        paragraphs.append("\n".join(lines))
        _keep(doc / "licences" / name, texts)
    (doc / "copyright").write_text("\n\n".join(paragraphs) + "\n", "utf-8")


def _keep(folder: Path, texts: dict[str, bytes]) -> None:
    """Write the texts of a wheel, compressed, under names that say where they come from."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in texts.items():
        short = re.sub(r"^[^/]*\.dist-info/(licenses/)?", "", name).replace("/", "-")
        (folder / f"{short}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
