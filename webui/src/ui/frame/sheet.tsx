/** A sheet over the lower part: it takes the focus and keeps it, Escape closes it, and the background is dimmed. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { closeSheet } from "../../store/phone/route";
import { Toast } from "./toast";

export interface SheetProps {
  readonly name: string;
  readonly label: string;
  readonly tone?: "go" | "info" | "doubt";
  readonly children: ComponentChildren;
}

export function SheetFrame({ name, label, tone = "go", children }: SheetProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const enter = () =>
      frame.current
        ?.querySelector<HTMLElement>("[data-first], button, input")
        ?.focus({ preventScroll: true });
    enter();
    // Browsers before `inert` (2022) let the focus go to the page behind.
    const stay = (event: FocusEvent) => {
      const behind = event.target instanceof HTMLElement && event.target.closest("[inert]");
      if (behind) enter();
    };
    const leave = (event: KeyboardEvent) => {
      if (event.key === "Escape") closeSheet();
    };
    window.addEventListener("keydown", leave);
    document.addEventListener("focusin", stay);
    return () => {
      window.removeEventListener("keydown", leave);
      document.removeEventListener("focusin", stay);
    };
  }, []);
  return (
    <div class="veil" data-sheet={name}>
      <Toast onSheet />
      <div
        class={`sheet tone-${tone}`}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        ref={frame}
      >
        {children}
      </div>
    </div>
  );
}
