/** A sheet where the browser knows nothing of `inert`, as those before 2022. */
import { h, render } from "preact";
import { describe, expect, it, vi } from "vitest";
import { PlayerSheet } from "../src/screens/table";
import { openSheet, sheet } from "../src/store/route";
import { SheetFrame } from "../src/ui/strips";

describe("a sheet", () => {
  it("keeps the focus from the covered page", async () => {
    document.body.innerHTML =
      '<div inert=""><button id="behind">x</button></div><div id="app"></div>';
    const app = document.getElementById("app") as HTMLElement;
    const behind = document.getElementById("behind");
    const inside = h("button", { id: "inside" }, "y");
    render(h(SheetFrame, { name: "test", label: "test", children: inside }), app);
    await vi.waitFor(() => expect(document.activeElement?.id).toBe("inside"));
    behind?.focus();
    expect(document.activeElement?.id).toBe("inside");
  });

  it("closes if what it is about is gone, since it leaves the page covered", async () => {
    document.body.innerHTML = '<div id="app"></div>';
    openSheet({ kind: "player", seat: 0 }); // and no game is on
    render(h(PlayerSheet, { seat: 0 }), document.getElementById("app") as HTMLElement);
    await vi.waitFor(() => expect(sheet.value).toBeNull());
  });
});
