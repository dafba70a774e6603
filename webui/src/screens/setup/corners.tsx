/** The tray's outline in the picture, and its four corners to drag or to move by arrow keys. */
import { useRef } from "preact/hooks";
import { t } from "../../store/words";
import type { SetupSeen } from "../../wire";

export type Corners = NonNullable<SetupSeen["corners"]>;
type Corner = Corners[number];

const STEP = 0.01;
const ARROWS: Readonly<Record<string, Corner>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

export function Outline({ corners }: { readonly corners: Corners }) {
  return (
    <svg class="outline fill" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={corners.map((corner) => corner.join(",")).join(" ")} />
    </svg>
  );
}

export interface CornersEditorProps {
  readonly corners: Corners;
  readonly onChange: (corners: Corners) => void;
}

export function CornersEditor({ corners, onChange }: CornersEditorProps) {
  const frame = useRef<HTMLDivElement>(null);
  const move = (index: number, x: number, y: number) => {
    const place: Corner = [within(x), within(y)];
    const [a, b, c, d] = corners.map((corner, at) => (at === index ? place : corner));
    if (a !== undefined && b !== undefined && c !== undefined && d !== undefined)
      onChange([a, b, c, d]);
  };
  return (
    <div class="corners" ref={frame}>
      <Outline corners={corners} />
      {corners.map(([x, y], index) => (
        <button
          key={index}
          type="button"
          class="corner-handle absolute no-border"
          aria-label={t("setup.corners.corner", { count: index + 1 })}
          style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={(event) => {
            const box = frame.current?.getBoundingClientRect();
            if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId))
              return;
            move(
              index,
              (event.clientX - box.left) / box.width,
              (event.clientY - box.top) / box.height,
            );
          }}
          onKeyDown={(event) => {
            const by = ARROWS[event.key];
            if (by === undefined) return;
            event.preventDefault();
            move(index, x + by[0], y + by[1]);
          }}
        />
      ))}
    </div>
  );
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
