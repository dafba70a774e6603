"""Make `docs/demo.webp`, the moving picture of the README, from the running app.

`python -m tests.browser.picture` plays a demo turn on two phones in Chromium: throw, keep, throw
the others, apply. What is shown is what the networks read.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.conftest import chromium
from tests.browser.test_demo import GO, demo

TARGET = Path(__file__).parent.parent.parent / "docs" / "demo.webp"
MOST_BYTES = 1_500_000
SIZE: ViewportSize = {"width": 390, "height": 844}
SHOWN = (300, 649)
"""Width and height of a phone in the picture, in pixels."""
GAP = 12
QUALITY = 72
WAIT_MS = 30_000
Picture = npt.NDArray[np.uint8]


class Video:
    """The frames so far, each with how long it is shown, in milliseconds."""

    def __init__(self, phones: tuple[Page, Page]) -> None:
        self._phones = phones
        self._frames: list[Picture] = []
        self._shown_ms: list[int] = []

    def shoot(self, shown_ms: int, tap: tuple[float, float] | None = None) -> None:
        """Add what both phones show now; `tap`: where the first one is about to be touched."""
        for page in self._phones:
            page.wait_for_function("[...document.images].every((one) => one.complete)")
        pictures = [_screen(page) for page in self._phones]
        if tap is not None:
            scale = SHOWN[0] / SIZE["width"]
            spot = (round(tap[0] * scale), round(tap[1] * scale))
            over = cv2.circle(pictures[0].copy(), spot, 20, (255, 255, 255), -1, cv2.LINE_AA)
            pictures[0] = np.asarray(cv2.addWeighted(over, 0.6, pictures[0], 0.4, 0), np.uint8)
        gap = np.full((SHOWN[1], GAP, 3), 255, np.uint8)
        frame = np.hstack((pictures[0], gap, pictures[1]))
        if self._frames and np.array_equal(frame, self._frames[-1]):
            self._shown_ms[-1] += shown_ms
            return
        self._frames.append(frame)
        self._shown_ms.append(shown_ms)

    def tap(self, css: str) -> None:
        """Show where the first phone is touched, and touch it."""
        target = self._phones[0].locator(css).first
        box = target.bounding_box()
        assert box is not None
        self.shoot(500, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        target.click()

    def until(self, css: str) -> None:
        """Record until the first phone shows this."""
        page = self._phones[0]
        for _ in range(WAIT_MS // 100):
            if page.locator(css).count():
                return
            self.shoot(100)
            page.wait_for_timeout(100)
        raise SystemExit(f"The phone does not show {css}.")

    def encoded(self) -> bytes:
        """Return the frames as an animated WebP that is played for ever."""
        video = cv2.Animation()
        video.frames, video.durations = self._frames, self._shown_ms
        done, data = cv2.imencodeanimation(".webp", video, (cv2.IMWRITE_WEBP_QUALITY, QUALITY))
        assert done
        return data.tobytes()


def _screen(page: Page) -> Picture:
    shot = np.frombuffer(page.screenshot(), np.uint8)
    whole = cv2.imdecode(shot, cv2.IMREAD_COLOR)
    assert whole is not None
    return np.asarray(cv2.resize(whole, SHOWN, interpolation=cv2.INTER_AREA), np.uint8)


def play(browser: Browser, address: str) -> bytes:
    """Play the turn, and return the moving picture."""
    one, two = (
        browser.new_context(
            viewport=SIZE, device_scale_factor=2, locale="en-GB", color_scheme="dark"
        ).new_page()
        for _ in range(2)
    )
    one.goto(address)
    one.wait_for_selector(f".screen-my-turn {GO}")
    two.goto(one.evaluate(JOIN))
    two.click(".seat-row[data-answer='1']")
    two.click(".tab >> nth=1")
    video = Video((one, two))
    video.shoot(1200)
    video.tap(f".screen-my-turn {GO}")
    video.until(".screen-proposal .again-die")
    video.shoot(2200)
    for die in range(2):
        video.tap(f".again-die[data-answer='{die}']")
    video.tap(".throw-others")
    video.until(".screen-proposal .throw-others.waiting, .screen-proposal .dock .not-yet")
    video.until(f".screen-proposal .dock {GO}")
    video.shoot(2600)
    video.tap(f".screen-proposal .dock {GO}")
    video.until(".page:not(.screen-proposal):not(.settling)")
    two.wait_for_timeout(800)
    video.shoot(3000)
    return video.encoded()


JOIN = "() => fetch('/api/state').then((answer) => answer.json()).then((all) => all.view.join.url)"


def main() -> None:
    """Write the picture. Ends with one line if it is too large."""
    with (
        tempfile.TemporaryDirectory() as folder,
        demo(Path(folder), "tokyo") as address,
        chromium() as browser,
    ):
        data = play(browser, address)
    if len(data) > MOST_BYTES:
        raise SystemExit(f"The picture has {len(data)} bytes, not at most {MOST_BYTES}.")
    TARGET.write_bytes(data)
    print(f"{TARGET.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
