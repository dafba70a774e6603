"""Draw the sheet for the tray: `python -m calibration.sheet` writes the SVG and the PDF.

Print it at 100 %, on A4 across, on matt paper; the line at the bottom must measure 100 mm.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from companion.vision.box import PAGE_MM
from companion.vision.read.geometry import DICTIONARY, MARKER_MM, MARKERS

FOLDER = Path(__file__).parent
RULER_MM = 100.0
POINTS_PER_MM = 72 / 25.4
SEAM_MM = 0.03
"""The overlap of cells, without which viewers show white lines between them."""

_CELLS = 6
"""Four by four cells of pattern and a black rim."""

Bar = tuple[float, float, float, float]
"""x, y, width, height of a black bar, mm from the page's upper left corner."""


def bars() -> Iterator[Bar]:
    """Yields every black bar of the page."""
    cell = MARKER_MM / _CELLS
    for number, (left, top) in MARKERS.items():
        pattern = DICTIONARY.generateImageMarker(number, _CELLS)
        for row, column in np.argwhere(pattern < 128):
            side = cell + SEAM_MM
            yield left + float(column) * cell, top + float(row) * cell, side, side
    left, top = (PAGE_MM[0] - RULER_MM) / 2, PAGE_MM[1] - 12
    yield left, top, RULER_MM, 0.3
    for end in (left, left + RULER_MM - 0.3):
        yield end, top - 2, 0.3, 4


def svg() -> str:
    """Make the page as SVG."""
    width, height = PAGE_MM
    drawn = "".join(
        f'<rect x="{x:.3f}" y="{y:.3f}" width="{w:.3f}" height="{h:.3f}"/>\n'
        for x, y, w, h in bars()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" '
        f'viewBox="0 0 {width} {height}" shape-rendering="crispEdges">\n{drawn}</svg>\n'
    )


def pdf() -> bytes:
    """Make the page as PDF: one page, nothing but filled rectangles."""
    width, height = (side * POINTS_PER_MM for side in PAGE_MM)
    scale = f"{POINTS_PER_MM:.6f} 0 0 -{POINTS_PER_MM:.6f} 0 {height:.3f} cm\n"
    boxes = "".join(f"{x:.3f} {y:.3f} {w:.3f} {h:.3f} re\n" for x, y, w, h in bars())
    drawn = f"{scale}{boxes}f\n"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] "
        "/Resources << >> /Contents 4 0 R >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream",
    ]
    page = "%PDF-1.4\n"
    starts = []
    for number, body in enumerate(objects, 1):
        starts.append(len(page))
        page += f"{number} 0 obj\n{body}\nendobj\n"
    table = len(page)
    page += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    page += "".join(f"{start:010d} 00000 n \n" for start in starts)
    page += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    return page.encode("ascii")


def main() -> None:
    """Write both files beside this script."""
    (FOLDER / "sheet.svg").write_text(svg(), encoding="ascii")
    (FOLDER / "sheet.pdf").write_bytes(pdf())


if __name__ == "__main__":
    main()
