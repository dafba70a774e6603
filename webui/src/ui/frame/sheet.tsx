/** A sheet over the lower part: it takes the focus and keeps it, Escape closes it, and the background is dimmed. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { closeSheet } from "../../store/phone/route";
import { Toast } from "./toast";

export interface SheetProps {
  readonly name: string;
  readonly label: string;
  readonly tone?: "go" | "info" | "doubt";
  /** Beside the head: a picture, and what is said below the head. */
  readonly picture?: ComponentChildren;
  readonly about?: ComponentChildren;
  /** It has a head of its own, or none. */
  readonly plain?: boolean;
  readonly children: ComponentChildren;
}

export function SheetFrame({ name, label, tone = "go", children, ...parts }: SheetProps) {
  const { picture, about, plain = false } = parts;
  const head = <h2 class="sheet-head">{label}</h2>;
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
        {picture !== undefined ? (
          <div class="die-head">
            {picture}
            <div>
              {head}
              {about}
            </div>
          </div>
        ) : (
          !plain && head
        )}
        {children}
      </div>
    </div>
  );
}
