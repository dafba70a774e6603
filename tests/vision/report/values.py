"""A report for tests to spoil, and zip files that no report is."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from companion.engine import Face
from companion.vision.box import DiceSet, Origin, Print, Sheet
from companion.vision.pictures import jpeg, png
from companion.vision.readings import Alternative, Colour, DieReading, ReadingProblem
from companion.vision.report import (
    BOX_NAME,
    Manifest,
    Report,
    ReportedReading,
    Taken,
    encode_report,
)
from tests.vision.fakes import grain, tray

DIE = DieReading(
    face=Face.HEAL,
    confidence=0.91,
    colour=Colour.GREEN,
    box=(300, 200, 40, 40),
    flat=True,
    problem=ReadingProblem.DOUBTFUL,
    alternatives=(Alternative(face=Face.ATTACK, probability=0.08),),
)
MANIFEST = Manifest(
    format=1,
    taken=Taken.CAMERA,
    package="0.1.0",
    networks="abc1234",
    expected=6,
    sheet=Sheet((640, 360), ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 1.0))),
    reading=ReportedReading(
        game="tokyo",
        dice=(DIE,),
        problems=(ReadingProblem.DOUBTFUL, ReadingProblem.COUNT),
        sure=False,
        size=(640, 360),
    ),
    put_right=(Face.ATTACK,),
    applied=(Face.ATTACK, Face.ONE),
)
PICTURE = grain(tray([(300, 200)]), 0)
PRINT = png(PICTURE[200:264, 300:364])
BOX = DiceSet(
    BOX_NAME,
    "tokyo",
    {
        Face.HEAL: (Print(PRINT), Print(PRINT, Origin.PLAYED)),
        Face.ONE: (Print(PRINT, Origin.CORRECTED),),
    },
)
REPORT = Report(
    MANIFEST, (jpeg(PICTURE), png(PICTURE)), (jpeg(PICTURE[200:240, 300:340].copy()),), BOX
)


def entries_of(content: bytes) -> dict[str, bytes]:
    """The entries of a zip file, as anybody's tool unpacks them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(
    changed: Mapping[str, bytes | None], method: int = zipfile.ZIP_STORED, comment: bytes = b""
) -> bytes:
    """Zip the good report's entries with these changed, added or (None) left out."""
    entries: dict[str, bytes | None] = {**entries_of(encode_report(REPORT)), **changed}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.comment = comment
        for name, content in entries.items():
            if content is not None:
                archive.writestr(name, content)
    return file.getvalue()
