/** A sheet where the browser knows nothing of `inert`, as those before 2022. */
import { h, render } from "preact";
import { describe, expect, it, vi } from "vitest";
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
});
