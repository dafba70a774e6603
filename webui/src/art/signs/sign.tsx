/** A sign, by its name or by an id of the wire, in the colour of its meaning. */
import { spoken } from "../spoken";
import { SIGNS, type SignName } from "./signs";

/** What a sign is about; each kind has one colour in every theme (`theme/art.css`). */
export type Meaning = "energy" | "damage" | "health" | "stars" | "info" | "plain";

const MEANINGS: Partial<Record<SignName, Meaning>> = {
  energy: "energy",
  attack: "damage",
  heal: "health",
  celebrity: "info",
  victory_star: "stars",
  superstar: "info",
  poison: "energy",
  shrink: "info",
  web: "info",
  curse: "damage",
  souvenir: "stars",
  battery: "energy",
  flame: "damage",
  warning: "stars",
};

/** Ids of the wire whose sign has another name. */
const ALIASES: Readonly<Record<string, SignName>> = {
  health: "heal",
  hearts: "heal",
  stars: "victory_star",
  star: "victory_star",
};

const DRAWN: ReadonlySet<string> = new Set(Object.keys(SIGNS));

export function isSign(name: string): name is SignName {
  return DRAWN.has(name);
}

/**
 * The sign for an id of the wire (a face, a counter, a tile, a token, a goal); `fallback` where none is drawn.
 * A tile's durability (`_2`) is a number beside its sign, never another sign.
 */
export function signOf(id: string, fallback: SignName = "question"): SignName {
  const kind = id.replace(/_\d+$/, "");
  if (isSign(kind)) return kind;
  return ALIASES[kind] ?? fallback;
}

function meaningOf(name: SignName): Meaning {
  return MEANINGS[name] ?? "plain";
}

export interface SignProps {
  readonly name: SignName;
  /** Edge of the square box in CSS pixels. */
  readonly size?: number | undefined;
  /** The word the sign stands for. Without it the sign is decoration and is not read aloud. */
  readonly title?: string | undefined;
  /** Fill by meaning (heart rose, bolt lime, …) instead of the colour of the text around it. */
  readonly meaning?: boolean | undefined;
  readonly class?: string | undefined;
}

/** One sign of the one set, drawn on a 24 grid. */
export function Sign({ name, size = 24, title, meaning = false, class: extra }: SignProps) {
  const classes = ["sign", meaning ? `means-${meaningOf(name)}` : "", extra ?? ""];
  return (
    <svg
      class={classes.filter(Boolean).join(" ")}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="currentColor"
      focusable="false"
      {...spoken(title)}
    >
      <SignShape name={name} />
    </svg>
  );
}

/** Only the shape of a sign, for drawings that place it themselves. */
export function SignShape({ name }: { readonly name: SignName }) {
  return <path fill-rule="evenodd" d={SIGNS[name]} />;
}
