/** The camera's state, in words and as a picture. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../../art";
import { openSheet } from "../../store/phone/route";
import { view } from "../../store/table/table";
import { faceOf } from "../../store/turn/throw";
import { fixes } from "../../store/turn/turn";
import { say, t } from "../../store/words";
import type { Face, Proposal, ProposedDie, Tray } from "../../wire";
import { layOut, type Spot } from "./tray-layout";

/** Catalogue keys of the eight roll states, and of the camera's problems. */
export function trayKey(tray: Tray): string {
  return tray.camera === "ok" ? `tray.${tray.state}` : `tray.camera_${tray.camera}`;
}

/** The live picture, refreshed once a second while shown. */
function LivePicture() {
  const [shot, setShot] = useState(0);
  useEffect(() => {
    const clock = window.setInterval(() => {
      if (document.visibilityState === "visible") setShot((n) => n + 1);
    }, 1_000);
    return () => window.clearInterval(clock);
  }, []);
  return (
    <img
      class="tray-picture rigid on-raised"
      src={`/api/tray.jpg?shot=${shot}`}
      alt=""
      width={128}
      height={96}
      // Nothing was read yet: no sign of a broken picture.
      onError={({ currentTarget }) => currentTarget.classList.add("no-picture")}
      onLoad={({ currentTarget }) => currentTarget.classList.remove("no-picture")}
    />
  );
}

/** `known`: the dice at rest are already entered, and the next throw is awaited. */
export function TrayStrip({ known = false }: { readonly known?: boolean }) {
  const tray = view.value?.tray;
  if (tray === undefined) return null;
  const key = known && tray.camera === "ok" && tray.state === "read" ? "tray.known" : trayKey(tray);
  const troubled = tray.state === "problem" || tray.state === "count" || tray.state === "unsure";
  return (
    <div class={`tray-strip boxed flex gap-12 overflow-hidden ${troubled ? "doubt" : ""}`}>
      {tray.camera === "ok" ? (
        <LivePicture />
      ) : (
        <span class="tray-picture rigid on-raised none">
          <Sign name="camera_off" size={40} />
        </span>
      )}
      <div class="tray-words" role="status">
        <h2>{t(key)}</h2>
        <p>{tray.problem === null ? t(`${key}.how`) : say(tray.problem)}</p>
        {tray.drift !== null && <p class="gold">{t(`tray.drift.${tray.drift}`)}</p>}
        {tray.roll > 0 && <p class="muted">{t("tray.roll", { roll: tray.roll })}</p>}
      </div>
    </div>
  );
}

export function isFixed(index: number): boolean {
  return fixes.value[index] !== undefined;
}

export function inDoubt(die: ProposedDie, index: number): boolean {
  return !isFixed(index) && (!die.sure || die.face === null);
}

/** The tray with a marker on every die; tapping one opens the sheet to correct it. */
export function TrayMap({ proposal }: { readonly proposal: Proposal }) {
  const width = Math.min(window.innerWidth, 480) - 32;
  const { spots, w, h, height, cut, moved } = layOut(proposal, width);
  const scale = width / cut.w;
  return (
    <div
      class={`tray-map edged relative overflow-hidden ${moved ? "apart" : ""}`}
      style={{ height: `${height}px` }}
      role="group"
      aria-label={t("tray.dice")}
    >
      <img
        class="tray-map-picture"
        src={proposal.picture}
        alt=""
        style={{
          width: `${proposal.picture_size[0] * scale}px`,
          height: `${proposal.picture_size[1] * scale}px`,
          left: `${-cut.x * scale}px`,
          top: `${-cut.y * scale}px`,
        }}
      />
      {proposal.dice.map((die, index) => (
        <Marker
          key={index}
          proposal={proposal}
          die={die}
          index={index}
          spot={spots[index] ?? { x: 0, y: 0 }}
          w={w}
          h={h}
        />
      ))}
    </div>
  );
}

type MarkerState = "extra" | "by-hand" | "unsure" | "sure";

const BADGES = { extra: "cross", "by-hand": "hand", sure: "tick" } as const;

function stateOf(die: ProposedDie, index: number): MarkerState {
  if (isFixed(index)) return faceOf(die, index) === null ? "extra" : "by-hand";
  return inDoubt(die, index) ? "unsure" : "sure";
}

function faceWord(face: Face | null, state: MarkerState): string {
  if (face !== null) return t(`face.${face}`);
  return t(state === "extra" ? "die.not" : "die.unknown");
}

interface MarkerProps {
  readonly proposal: Proposal;
  readonly die: ProposedDie;
  readonly index: number;
  readonly spot: Spot;
  readonly w: number;
  readonly h: number;
}

function Marker({ proposal, die, index, spot, w, h }: MarkerProps) {
  const face = faceOf(die, index);
  const state = stateOf(die, index);
  const word = faceWord(face, state);
  const label = t("die.said", {
    index: index + 1,
    count: proposal.dice.length,
    word,
    state: t(`die.state.${state.replace("-", "_")}`),
  });
  const ring = Math.min(w, h - 26);
  return (
    <button
      type="button"
      class={`marker bare col items-center justify-between absolute ${state}`}
      style={{
        left: `${spot.x - w / 2}px`,
        top: `${spot.y - h / 2}px`,
        width: `${w}px`,
        height: `${h}px`,
      }}
      aria-label={label}
      onClick={() => openSheet({ kind: "die", proposal: proposal.id, index })}
    >
      <span class="ring" style={{ width: `${ring}px`, height: `${ring}px` }}>
        {die.crop !== "" && <img src={die.crop} alt="" />}
        <span class="badge middle absolute color-ink">
          {state === "unsure" ? <b class="num">?</b> : <Sign name={BADGES[state]} size={14} />}
        </span>
      </span>
      <span class="marker-word overflow-hidden rounded-4 bold">{word}</span>
    </button>
  );
}
