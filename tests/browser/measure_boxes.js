// What does not fit on the page now, wherever it is scrolled to. Runs in the page; returns plain values.
() => {
  const TAPPABLE = "button, a[href], input, select, [role=button], [role=switch], [role=slider]";
  const root = document.querySelector(".veil") ?? document.querySelector(".page");
  // Words on the tray's picture are those of the list beside it.
  const APART = ".tray-map";
  const drawn = (one) => !one.closest("svg, .sr-only, .tray-map-picture, [hidden]");
  const named = (one) => `${one.tagName.toLowerCase()}.${one.className} “${(one.getAttribute("aria-label") || one.textContent || "").trim().slice(0, 40)}”`;

  // Where boxes lie when nothing is scrolled: those of one scroller keep their distances.
  const scrollers = [...root.querySelectorAll("*")].filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowY + getComputedStyle(one).overflowX));
  const sticking = [...root.querySelectorAll("*")].filter((one) => getComputedStyle(one).position === "sticky");
  const layers = [...scrollers, ...sticking];
  const holder = (one) => layers.filter((box) => box.contains(one) && (box !== one || sticking.includes(box))).sort((a, b) => (a.contains(b) ? -1 : 1)).pop() ?? root;

  // Each line of text with its element; capitals are lower than a line, so half a line's height is compared.
  const lines = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement;
    if (!node.data.trim() || !drawn(of) || of.closest(APART)) continue;
    const style = getComputedStyle(of);
    if (style.visibility === "hidden" || style.opacity === "0") continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1) continue;
      const slack = box.height / 4;
      lines.push({ of, left: box.left + 1, right: box.right - 1, top: box.top + slack, bottom: box.bottom - slack });
    }
  }
  const meet = (one, other) => one.left < other.right - 0.5 && other.left < one.right - 0.5 && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5;

  const clipped = new Set();
  const outside = new Set();
  for (const line of lines) {
    if (line.left < -1 || line.right > window.innerWidth + 1) outside.add(named(line.of));
    for (let box = line.of; box !== root.parentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.display === "contents") continue;
      const hole = box.getBoundingClientRect();
      const across = style.overflowX === "hidden" || style.overflowX === "clip";
      const down = style.overflowY === "hidden" || style.overflowY === "clip";
      if (across && (line.left < hole.left - 1 || line.right > hole.right + 1)) clipped.add(named(line.of));
      if (down && (line.top < hole.top - 1 || line.bottom > hole.bottom + 1)) clipped.add(named(line.of));
      if (/auto|scroll/.test(style.overflowY)) break;
    }
  }
  const overprinted = new Set();
  for (let at = 0; at < lines.length; at++) {
    for (let next = at + 1; next < lines.length; next++) {
      const [one, other] = [lines[at], lines[next]];
      if (one.of !== other.of && meet(one, other) && holder(one.of) === holder(other.of)) overprinted.add(`${named(one.of)} / ${named(other.of)}`);
    }
  }

  const taps = [...root.querySelectorAll(TAPPABLE)].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && !one.closest(`${APART}, .corners, details:not([open]) > div`);
  });
  const overlapping = new Set();
  for (let at = 0; at < taps.length; at++) {
    for (let next = at + 1; next < taps.length; next++) {
      const [one, other] = [taps[at], taps[next]];
      if (one.contains(other) || other.contains(one) || holder(one) !== holder(other)) continue;
      if (meet(one.getBoundingClientRect(), other.getBoundingClientRect())) overlapping.add(`${named(one)} / ${named(other)}`);
    }
  }
  for (const one of taps) {
    const box = one.getBoundingClientRect();
    if (box.left < -1 || box.right > window.innerWidth + 1) outside.add(named(one));
  }
  // Each can be brought where a finger finds it.
  const unreachable = new Set();
  const where = scrollers.map((one) => [one, one.scrollTop]);
  for (const one of taps) {
    one.scrollIntoView({ block: "center", behavior: "instant" });
    const box = one.getBoundingClientRect();
    const found = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (found === null || !(found === one || one.contains(found) || found.closest("label")?.contains(one))) unreachable.add(named(one));
  }
  for (const [one, top] of where) one.scrollTop = top;
  // Where the page scrolls as a whole, its foot sticks; else its parts lie side by side.
  const parts = [".page > .scroll", ".page > .strips", ".page > .dock", ".page > .tabs"].map((one) => document.querySelector(one)?.getBoundingClientRect()).filter((box) => box?.width);
  const whole = document.documentElement.dataset.text === "large";
  const bars = !whole && parts.some((one, at) => parts.slice(at + 1).some((other) => meet(one, other)));
  const beyond = !whole && parts.some((one) => one.bottom > window.innerHeight + 1 || one.right > window.innerWidth + 1);
  return {
    clipped: [...clipped], outside: [...outside], overprinted: [...overprinted], overlapping: [...overlapping],
    unreachable: [...unreachable], "bars meet": bars ? ["yes"] : [], "beyond the page": beyond ? ["yes"] : [],
  };
}
