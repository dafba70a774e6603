// What a screen shows now, measured in pixels of 1920 × 1080. Runs in the page; returns plain values.
() => {
  const stage = document.querySelector(".stage");
  const scale = stage.getBoundingClientRect().width / 1920;
  const left = stage.getBoundingClientRect().left;
  const top = stage.getBoundingClientRect().top;
  const plain = (box) => ({
    left: (box.left - left) / scale, right: (box.right - left) / scale,
    top: (box.top - top) / scale, bottom: (box.bottom - top) / scale,
  });
  const name = (one) => `${one.getAttribute("class") || one.tagName} “${(one.textContent || "").trim().slice(0, 40)}”`;
  const texts = [];
  const walker = document.createTreeWalker(stage, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const holder = node.parentElement;
    if (node.data.trim() === "" || getComputedStyle(holder).visibility === "hidden") continue;
    const drawn = holder instanceof SVGElement;
    const size = Number.parseFloat(getComputedStyle(holder).fontSize) * (drawn ? holder.getScreenCTM().d / scale : 1);
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = drawn ? [holder.getBoundingClientRect()] : [...range.getClientRects()];
    for (const line of lines) {
      const box = plain(line);
      // A line's box is higher than its letters.
      const rest = Math.max(0, (box.bottom - box.top) - size * 0.8) / 2;
      texts.push({ name: name(holder), size, drawn, ...box, top: box.top + rest, bottom: box.bottom - rest });
    }
  }
  const pictures = [...stage.querySelectorAll("svg.tile, svg.die, img.qr, .sign, .unknown")].map((one) => ({
    name: name(one), ...plain(one.getBoundingClientRect()),
  }));
  const cut = [];
  for (const one of stage.querySelectorAll("*")) {
    if (one instanceof SVGElement || getComputedStyle(one).overflowX === "visible") continue;
    if (one.classList.contains("tv")) continue; // each text in it is measured
    if (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1) cut.push(name(one));
  }
  const pen = document.createElement("canvas").getContext("2d");
  const totals = [...stage.querySelectorAll(".total b, .rank-total b")].map((one) => {
    const { fontSize, fontFamily, fontWeight } = getComputedStyle(one);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    return { text: one.textContent, height: pen.measureText(one.textContent).actualBoundingBoxAscent * scale };
  });
  const keys = stage.innerText.match(/\b[a-z_]+(\.[a-z_0-9]+)+\b/gi) ?? [];
  return { texts, pictures, cut, totals, keys: keys.filter((one) => !/\d/.test(one)), height: window.innerHeight };
}
