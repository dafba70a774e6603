/** What happened last, one sentence each, as many as there is room for. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Sign, signOf } from "../../art";
import { say } from "../../store/words";
import type { Happened } from "../../wire";

export interface NewsProps {
  readonly news: readonly Happened[];
  readonly most: number;
}

const SIZE = 30;
const SMALLEST = 28;

export function News({ news, most }: NewsProps) {
  const box = useRef<HTMLDivElement>(null);
  const shown = news.slice(0, most);
  const sentences = shown.map(({ words }) => say(words));
  useLayoutEffect(() => {
    let there = true;
    const measure = () => {
      if (there && box.current !== null) fill(box.current);
    };
    measure();
    document.fonts.ready.then(measure, measure);
    return () => {
      there = false;
    };
  }, [sentences.join("\n")]);
  return (
    <div ref={box} class="tv-news">
      {shown.map((one, index) => (
        <p key={index} class={index === 0 ? "" : "muted"}>
          <Sign name={signOf(one.sign, "hand")} size={34} /> {sentences[index]}
        </p>
      ))}
    </div>
  );
}

/** Leave out the oldest sentences that have no room; the newest stays, in smaller letters. */
function fill(box: HTMLElement): void {
  const lines = [...box.children] as HTMLElement[];
  for (const line of lines) line.style.display = "";
  box.style.fontSize = `${SIZE}px`;
  const fits = () => box.scrollHeight <= box.clientHeight;
  while (!fits() && lines.length > 1) (lines.pop() as HTMLElement).style.display = "none";
  if (!fits()) box.style.fontSize = `${SMALLEST}px`;
}
