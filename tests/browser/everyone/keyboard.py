"""Somebody who plays with the keyboard alone: Tab, arrows, letters, Enter and Space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page

MOST_TABS = 60
FOCUSED = """
(selector) => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  const seen = one.closest("label.photo") ?? one;
  const box = seen.getBoundingClientRect();
  return {
    is: one.matches(selector),
    name: `${one.className} “${one.textContent.trim().slice(0, 40)}”`,
    ring: Number.parseFloat(getComputedStyle(seen).outlineWidth),
    shown: box.bottom > 0 && box.top < window.innerHeight && box.right > 0,
    onPicture: one.closest(".tray-map") !== null,
    place: [box.left, box.top, box.right, box.bottom],
  };
}
"""


@dataclass
class Keyboard:
    """A page that is never touched."""

    page: Page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self, selector: str = "*") -> Any:
        """Return what has the focus and how it looks; None where nothing has."""
        return self.page.evaluate(FOCUSED, selector)

    def to(self, selector: str) -> None:
        """Go on by Tab until such an element has the focus; each on the way shows that it has."""
        self.page.wait_for_selector(f"{selector} >> visible=true")
        passed = []
        for _ in range(MOST_TABS):
            now = self.focused(selector)
            if now is not None:
                assert now["ring"] >= 2, now
                assert now["shown"], now
                if now["is"]:
                    return
                passed.append(now["name"])
            self.press("Tab")
        raise AssertionError(f"Tab never reaches {selector}, only {passed}")

    def choose(self, selector: str, key: str = "Enter") -> None:
        """Go there, and press Enter or Space."""
        self.to(selector)
        self.press(key)

    def wait_for(self, screen: str) -> None:
        self.page.wait_for_selector(f".screen-{screen}")
