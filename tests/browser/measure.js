// What a thumb can reach on the page now, measured. Runs in the page; returns plain values.
() => {
  const TAPPABLE = "button, a[href], input, label.act, [role=button], [role=switch], [role=checkbox]";
  const scroll = document.querySelector(".scroll");
  const veil = document.querySelector(".veil");
  const root = veil ?? document.querySelector(".page");
  const shown = (box) => box.width > 0 && box.height > 0;
  const boxes = [];
  for (const one of root.querySelectorAll(TAPPABLE)) {
    if (one.disabled || one.closest("label.act") && one.tagName === "INPUT") continue;
    const full = one.getBoundingClientRect();
    const hole = (veil && veil.contains(one) ? veil.querySelector(".sheet") : scroll.contains(one) ? scroll : root).getBoundingClientRect();
    const top = Math.max(full.top, hole.top);
    const bottom = Math.min(full.bottom, hole.bottom);
    if (!shown(full) || bottom <= top) continue;
    boxes.push({
      name: `${one.className || one.tagName} “${(one.getAttribute("aria-label") || one.textContent || "").trim().slice(0, 40)}”`,
      kind: one.classList.contains("tab") ? "tab" : one.classList.contains("link") ? "link" : one.closest(".segment") ? "segment" : "button",
      left: full.left, right: full.right, top, bottom, width: full.width, height: full.height,
    });
  }
  const wide = [];
  for (const one of document.querySelectorAll("body *")) {
    if (one.closest("svg") || one.closest(".tray-map") || one.closest(".sr-only") || one.classList.contains("sr-only")) continue;
    const box = one.getBoundingClientRect();
    if (shown(box) && (box.right > window.innerWidth + 1 || box.left < -1)) wide.push(`${one.tagName}.${one.className}: ${one.textContent.slice(0, 30)}`);
  }
  const cut = [];
  for (const one of document.querySelectorAll("button, .act, h1, h2, p, .player-name, .tile-name")) {
    if (one.closest("svg") || one.classList.contains("sr-only") || one.classList.contains("tab")) continue;
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0) cut.push(`${one.className}: ${one.textContent.slice(0, 40)}`);
  }
  // A sentence that no catalogue has stands there as its key.
  const keys = root.innerText.match(/\b[a-z_]+(\.[a-z_0-9]+)+\b/g) ?? [];
  return { boxes, wide, cut, keys, height: window.innerHeight, scrolled: scroll.scrollTop, overflow: document.documentElement.scrollWidth - window.innerWidth };
}
