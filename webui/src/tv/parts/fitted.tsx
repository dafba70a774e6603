/** Words that shrink until they fit into their box, whose size the style sheet gives. */
import { useLayoutEffect, useRef } from "preact/hooks";

export interface FittedProps {
  readonly text: string;
  /** The largest and the smallest size in px. */
  readonly most: number;
  readonly least: number;
  readonly class?: string;
  readonly as?: "h1" | "p";
}

export function Fitted({ text, most, least, class: extra, as: Tag = "p" }: FittedProps) {
  const box = useRef<HTMLHeadingElement & HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    let there = true;
    const measure = () => {
      if (there && box.current !== null) shrink(box.current, most, least);
    };
    measure();
    // The faces may come later than the words.
    document.fonts.ready.then(measure, measure);
    return () => {
      there = false;
    };
  }, [text, most, least]);
  return (
    <Tag ref={box} class={`fitted ${extra ?? ""}`}>
      {text}
    </Tag>
  );
}

function shrink(box: HTMLElement, most: number, least: number): void {
  for (let size = most; size >= least; size -= 2) {
    box.style.fontSize = `${size}px`;
    if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) return;
  }
}
