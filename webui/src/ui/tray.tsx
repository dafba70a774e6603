/** The camera's state in words and as a picture, and a photo taken with this phone. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Sign } from "../art";
import { api } from "../store/api";
import { answerFuseOffer, offersFuse, readingPhoto, sendPhoto, unrest } from "../store/proposal";
import { openSheet } from "../store/route";
import { view, you } from "../store/table";
import { faceOf } from "../store/tray";
import { fixes } from "../store/turn";
import { say, t } from "../store/words";
import type { Face, Proposal, ProposedDie, Tray } from "../wire";
import { Headline } from "./frame";
import { Act, Note } from "./kit";
import { isTroubled, trayKey } from "./tray-state";

/** The middle of a marker, in CSS pixels of the map. */
export interface Spot {
  x: number;
  y: number;
}

/** The distance between two markers, in CSS pixels. */
export const GAP = 8;
/** The height of a marker's badge above it. */
export const TOP = 8;
/** The distance up to which a marker still surrounds its die. */
const NEAR = 12;

/** Push the markers apart until all have room, or arrange them in rows in their order. */
function settle(spots: Spot[], width: number, height: number, w: number, h: number): Spot[] {
  const moved = spots.map((spot) => ({ ...spot }));
  for (let round = 0; round < 80; round += 1) {
    for (const spot of moved) clamp(spot, width, height, w, h);
    if (!shove(moved, w, h)) return moved;
  }
  return inRows(spots, width, w, h);
}

function clamp(spot: Spot, width: number, height: number, w: number, h: number): void {
  spot.x = Math.min(width - w / 2, Math.max(w / 2, spot.x));
  spot.y = Math.min(height - h / 2, Math.max(TOP + h / 2, spot.y));
}

function shove(spots: Spot[], w: number, h: number): boolean {
  let any = false;
  for (const [i, one] of spots.entries()) {
    for (const other of spots.slice(i + 1)) {
      const over = {
        x: w + GAP - Math.abs(one.x - other.x),
        y: h + GAP - Math.abs(one.y - other.y),
      };
      if (over.x <= 0.01 || over.y <= 0.01) continue;
      any = true;
      const axis = over.x < over.y ? "x" : "y";
      const side = one[axis] <= other[axis] ? -1 : 1;
      one[axis] += (side * over[axis]) / 2;
      other[axis] -= (side * over[axis]) / 2;
    }
  }
  return any;
}

function inRows(spots: readonly Spot[], width: number, w: number, h: number): Spot[] {
  const columns = Math.max(1, Math.floor((width + GAP) / (w + GAP)));
  const order = spots.map((spot, index) => ({ spot, index })).sort((a, b) => a.spot.y - b.spot.y);
  const placed: Spot[] = spots.map((spot) => ({ ...spot }));
  for (let start = 0; start < order.length; start += columns) {
    const row = order.slice(start, start + columns).sort((a, b) => a.spot.x - b.spot.x);
    const left = (width - (row.length * (w + GAP) - GAP)) / 2;
    row.forEach((one, column) => {
      placed[one.index] = {
        x: left + w / 2 + column * (w + GAP),
        y: TOP + h / 2 + (start / columns) * (h + GAP),
      };
    });
  }
  return placed;
}

/** Place the markers; the picture is cropped to the dice. */
export function layOut(proposal: Proposal, width: number): Layout {
  const many = proposal.dice.length > 6;
  const columns = many ? 4 : 3;
  const w = Math.min(88, Math.floor((width - (columns - 1) * GAP) / columns));
  const h = width < 300 ? 76 : many ? 92 : 82;
  const rows = Math.max(2, Math.ceil(proposal.dice.length / columns));
  const height = rows * (h + GAP) + GAP;
  const cut = cutOf(proposal, width / height);
  const scale = width / cut.w;
  const spots = proposal.dice.map((die) => ({
    x: (die.box[0] + die.box[2] / 2 - cut.x) * scale,
    y: (die.box[1] + die.box[3] / 2 - cut.y) * scale,
  }));
  const settled = settle(spots, width, height, w, h);
  const moved = settled.some(
    (spot, index) =>
      Math.hypot(spot.x - (spots[index]?.x ?? 0), spot.y - (spots[index]?.y ?? 0)) > NEAR,
  );
  return { spots: settled, w, h, height, cut, moved };
}

export interface Layout {
  readonly spots: readonly Spot[];
  readonly w: number;
  readonly h: number;
  readonly height: number;
  readonly cut: Cut;
  /** Whether a marker is away from its die: the picture would then only confuse. */
  readonly moved: boolean;
}

export type Cut = Readonly<{ x: number; y: number; w: number; h: number }>;

/** Return the crop that holds all dice with a margin, in the wanted shape. */
function cutOf(proposal: Proposal, shape: number): Cut {
  const [pw, ph] = proposal.picture_size;
  const boxes = proposal.dice.map((die) => die.box);
  if (boxes.length === 0) return { x: 0, y: 0, w: pw, h: pw / shape };
  const left = Math.min(...boxes.map((box) => box[0]));
  const top = Math.min(...boxes.map((box) => box[1]));
  const right = Math.max(...boxes.map((box) => box[0] + box[2]));
  const bottom = Math.max(...boxes.map((box) => box[1] + box[3]));
  const edge = Math.max(...boxes.map((box) => box[2])) * 0.5;
  let w = right - left + 2 * edge;
  let h = bottom - top + 2 * edge;
  if (w / h < shape) w = h * shape;
  else h = w / shape;
  const x = Math.max(Math.min((left + right) / 2 - w / 2, pw - w), Math.min(0, pw - w));
  const y = Math.max(Math.min((top + bottom) / 2 - h / 2, ph - h), Math.min(0, ph - h));
  return { x, y, w, h };
}

/** What the camera sees now, again `after` each picture. */
export function LivePicture({ after = 1_000 }: { readonly after?: number }) {
  const [shot, setShot] = useState(0);
  const [came, setCame] = useState(false);
  const next = (has: boolean) => {
    setCame(has);
    window.setTimeout(() => setShot((n) => n + 1), has ? after : 400);
  };
  return (
    <img
      // No picture yet: no sign of a broken one.
      class={came ? "" : "no-picture"}
      src={`/api/camera.jpg?shot=${shot}`}
      alt={t("setup.picture")}
      onLoad={() => next(true)}
      onError={() => next(false)}
    />
  );
}

/** The camera's state with its picture; in the lobby a preview. */
export function TrayStrip({ onTap }: { readonly onTap?: () => void }) {
  const tray = view.value?.tray;
  if (tray === undefined || (onTap !== undefined && tray.camera === "none")) return null;
  const preview = onTap !== undefined && tray.camera === "ok";
  const key = trayKey(tray);
  return (
    <div
      class={`tray-strip boxed flex gap-12 overflow-hidden relative ${isTroubled(tray) ? "dashed-gold" : ""}`}
    >
      <span class="tray-picture rigid on-raised middle muted">
        {tray.camera === "ok" ? <LivePicture /> : <Sign name="camera_off" size={40} />}
      </span>
      <div class="tray-words leading-125" role="status">
        <h2 class="display-face">{t(preview ? "setup.picture" : key)}</h2>
        <p>{stripText(tray, key, preview)}</p>
        {tray.drift !== null && you.value.role !== "host" && (
          <p class="gold">{t(`tray.drift.${tray.drift}`)}</p>
        )}
        {!preview && <LyingAct of={key} />}
      </div>
      {onTap !== undefined && (
        <button type="button" class="bare fill" aria-label={t("setup.open")} onClick={onTap} />
      )}
    </div>
  );
}

/** What dice at rest are that are not proposed. */
const OLD_OR_NEW: readonly string[] = ["tray.known", "tray.learning"];

function stripText(tray: Tray, key: string, preview: boolean): string {
  if (tray.problem !== null && !OLD_OR_NEW.includes(key)) return say(tray.problem);
  return t(preview ? "tray.preview" : `${key}.how`, { known: tray.known ?? 0 });
}

/** Have the last roll's dice read again; the host may show all faces of new ones at once. */
function LyingAct({ of }: { readonly of: string }) {
  const learning = of === "tray.learning";
  if (!OLD_OR_NEW.includes(of) || (learning && you.value.role !== "host")) return null;
  const act = () =>
    learning ? void import("../store/setup").then((one) => one.openSetup()) : void api.readAgain();
  return (
    <button type="button" class="link" onClick={act}>
      {t(learning ? "tray.learning.at_once" : "tray.read_them")}
    </button>
  );
}

/** Once, when the camera has read some turns without a fault. */
export function FuseOffer() {
  if (!offersFuse.value) return null;
  return (
    <div class="panel" data-notice="fuse">
      <p role="status">{t("fuse.offer")}</p>
      <div class="two">
        <Act text={t("fuse.take")} onTap={() => answerFuseOffer(true)} />
        <Act text={t("fuse.leave")} onTap={() => answerFuseOffer(false)} />
      </div>
    </div>
  );
}

/** How many dice there are and how sure they are, or the reason why neither is known. */
export function Certainty({ headline }: { readonly headline: string }) {
  const tray = view.value?.tray;
  if (tray === undefined || unrest.value === null || unrest.value === "rolling")
    return <Headline text={headline} lines={1} most={44} />;
  const key = trayKey(tray);
  const seen = tray.state === "problem" ? "warning" : tray.state === "hand" ? "hand" : "dice";
  return (
    <Note sign={tray.camera === "ok" ? seen : "camera_off"} tone="doubt">
      <h1 id="headline" class="sr-only">
        {headline}
      </h1>
      <p role="status" class="min-0 break-words">
        <b>{t(key)}</b>{" "}
        {tray.problem === null
          ? t(key === "tray.empty" ? "tray.known.how" : `${key}.how`)
          : say(tray.problem)}
      </p>
    </Note>
  );
}

export function isFixed(index: number): boolean {
  return fixes.value[index] !== undefined;
}

export function inDoubt(die: ProposedDie, index: number): boolean {
  return !isFixed(index) && (!die.sure || die.face === null);
}

/** A sentence on each die that leans: a hint, as it counts all the same. */
export function leans(proposal: Proposal): readonly string[] {
  return proposal.dice.flatMap((die, index) =>
    die.flat || isFixed(index) ? [] : t("die.leans", { die: placeOf(proposal, index) }),
  );
}

/** Where the die lies among the others: "The third from the left". */
export function placeOf({ dice }: Proposal, index: number): string {
  const across = ({ box }: ProposedDie) => box[0] + box[2] / 2;
  const order = [...dice.entries()].sort(([, a], [, b]) => across(a) - across(b));
  const rank = order.findIndex(([at]) => at === index);
  return 2 * rank < dice.length ? t(`die.left.${rank + 1}`) : t(`die.right.${dice.length - rank}`);
}

/** The tray with a marker on every die; tapping one opens the sheet to correct it. */
export function TrayMap({ proposal }: { readonly proposal: Proposal }) {
  const map = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(Math.min(window.innerWidth, 480) - 32);
  useLayoutEffect(() => {
    const measure = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width || width));
    if (map.current !== null) measure.observe(map.current);
    return () => measure.disconnect();
  }, []);
  const { spots, w, h, height, cut, moved } = layOut(proposal, width);
  const scale = width / cut.w;
  return (
    <div
      ref={map}
      class={`tray-map edged relative overflow-hidden ${moved ? "apart" : ""} ${unrest.value === null ? "" : "dimmed"}`}
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

type MarkerState = "extra" | "by-hand" | "unsure" | "leaning" | "sure";

const BADGES = { extra: "cross", "by-hand": "hand", leaning: "warning", sure: "tick" } as const;

function stateOf(die: ProposedDie, index: number): MarkerState {
  if (isFixed(index)) return faceOf(die, index) === null ? "extra" : "by-hand";
  if (inDoubt(die, index)) return "unsure";
  return die.flat ? "sure" : "leaning";
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
    die: placeOf(proposal, index),
    word,
    state: t(unrest.value === null ? `die.state.${state.replace("-", "_")}` : "doubt.as_read"),
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

const LONGEST_PX = 1600;

/**
 * Resize to a JPEG of at most `LONGEST_PX`: phones send huge pictures, rotated by an EXIF tag that few readers
 * apply.
 */
async function shrink(file: File): Promise<Blob> {
  const address = URL.createObjectURL(file);
  try {
    const picture = await load(address);
    const scale = Math.min(1, LONGEST_PX / Math.max(picture.naturalWidth, picture.naturalHeight));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.naturalWidth * scale);
    canvas.height = Math.round(picture.naturalHeight * scale);
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, fail) =>
      canvas.toBlob(
        (blob) => (blob === null ? fail(new Error("no picture")) : done(blob)),
        "image/jpeg",
        0.9,
      ),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}

function load(address: string): Promise<HTMLImageElement> {
  return new Promise((done, fail) => {
    const picture = new Image();
    picture.onload = () => done(picture);
    picture.onerror = () => fail(new Error("no picture"));
    picture.src = address;
  });
}

export function PhotoButton() {
  // A new input for each picture, so that the same file can be chosen again.
  const [field, setField] = useState(0);
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    await sendPhoto(shrink(file));
    setField(field + 1);
  };
  return (
    <label class="act photo relative overflow-hidden clear">
      <input
        key={field}
        type="file"
        accept="image/jpeg,image/*"
        capture="environment"
        disabled={readingPhoto.value}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <Sign name="photo" size={26} />
      <span class="photo-words">
        <b>{t(readingPhoto.value ? "photo.working" : "photo.short")}</b>
      </span>
    </label>
  );
}
