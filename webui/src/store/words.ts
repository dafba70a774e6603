/** Sentences: a catalogue key and its parameters become text in the chosen language. */
import { signal } from "@preact/signals";
import type { Cause, Words } from "../wire";
import { keep, type Language, prefs, recall } from "./prefs";

type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>;
type Catalogue = Readonly<Record<string, string | Plural>>;
export type Args = Readonly<Record<string, string | number>>;

/** Names for the seats and ids in parameters; set once, by `store/table.ts`, which knows the players. */
export interface Namer {
  player(seat: number): string;
  monster(seat: number): string;
  game(): string;
  edition(): string;
  mine(): number | null;
}

const catalogue = signal<Catalogue>({});
let namer: Namer = {
  player: String,
  monster: String,
  game: () => "",
  edition: () => "",
  mine: () => null,
};

export function setNamer(one: Namer): void {
  namer = one;
}

/** Whether a catalogue is loaded. */
export function wordsReady(): boolean {
  return Object.keys(catalogue.value).length > 0;
}

/** Use the catalogue of `language`: at once the stored copy, then the service's. */
export async function loadWords(language: Language): Promise<void> {
  const key = `monster-table.words.${language}`;
  const kept = recall(key);
  if (kept !== null) use(kept);
  try {
    const answer = await fetch(`/locales/${language}.json`);
    if (!answer.ok) {
      if (kept === null && language !== "en") await loadWords("en");
      return;
    }
    const text = await answer.text();
    if (prefs.value.language !== language && language !== "en") return;
    if (text !== kept) {
      use(text);
      keep(key, text);
    }
  } catch {
    // Offline: the stored copy stays in use.
  }
}

function use(text: string): void {
  try {
    catalogue.value = JSON.parse(text) as Catalogue;
    document.documentElement.lang = prefs.value.language;
  } catch {
    // Truncated while loading; the next load replaces it.
  }
}

/** Whether the catalogue has this key. */
export function knows(key: string): boolean {
  return entryOf(key) !== undefined;
}

/** Return the sentence of `key`: in the second person if `args.seat` is mine and `key.you` exists. */
export function t(key: string, args: Args = {}): string {
  // No turn has begun yet.
  if (args.turn === 0 && /^(status|log\.turn)/.test(key)) return t("status.setup");
  const mine = namer.mine();
  const entry = entryOf(key, mine !== null && args.seat === mine);
  if (entry === undefined) return fallbackText(key, args);
  const text = typeof entry === "string" ? entry : plural(entry, args);
  const filled = text.replace(/\{(\w+)\}/g, (gap, name: string) => {
    if (name.startsWith("dice") && args[name] === undefined)
      return alike(args, name.slice("dice".length));
    const value = args[name] ?? (name === "monster" ? args.seat : undefined);
    return value === undefined ? gap : valueText(name, value);
  });
  return prefs.value.language === "fr" ? filled.replace(ELIDED, "d’") : filled;
}

/** French "de" before a vowel: "le lancer d’Ana". */
const ELIDED = /\bde (?=[aeiouàáâéèêëíîïóôúûœ]|hô)/gi;

/** Dice of one face in words: "three 2s"; which and how many are the arguments `face` and `count` with this end. */
export function alike(args: Args, end: string): string {
  const count = Number(args[`count${end}`]);
  const face = String(args[`face${end}`]);
  const key = `count.${NUMBERS.has(face) ? "number" : "symbol"}.${count}`;
  return t(`rolled.${face}`, { count, words: knows(key) ? t(key) : count });
}

const NUMBERS: ReadonlySet<string> = new Set(["one", "two", "three"]);

/** Return a key's catalogue entry; the current game's own entry comes before the app's. */
function entryOf(key: string, you = false): string | Plural | undefined {
  const own = `${namer.game()}/${key}`;
  const keys = you ? [`${own}.you`, own, `${key}.you`, key] : [own, key];
  const found = keys.find((one) => catalogue.value[one] !== undefined);
  return found === undefined ? undefined : catalogue.value[found];
}

/** Parts of keys that name the kind of sentence, not its subject. */
const PARTS = new Set(["prompt", "name", "text", "this", "you", "nothing"]);
const ABOUT = ["card", "other", "place", "face", "tile", "unit"];

function fallbackText(key: string, args: Args): string {
  const parts = key.split(".").filter((part) => !PARTS.has(part));
  const about = ABOUT.flatMap((name) => {
    const value = args[name];
    return value === undefined ? [] : [valueText(name, value)];
  });
  const text = [plainId(parts[parts.length - 1] ?? key), ...about].join(" · ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plainId(id: string): string {
  return id.replace(/[_-]/g, " ");
}

export function say(words: Words): string {
  return t(words.key, words.args);
}

/** A sentence with its clauses: what led to it, or what it brought. */
export function explained(one: { readonly words: Words; readonly why: readonly Cause[] }): string {
  const line = say(one.words);
  return one.why.length === 0 ? line : t("cause.after", { line, why: clausesOf(one.why) });
}

/** Clauses one after the other, as the phone's language separates them; "" for none. */
export function clausesOf(why: readonly Cause[]): string {
  return list(why.map(clause));
}

function clause({ words, change }: Cause): string {
  const cause = say(words);
  return change === "" ? cause : t("cause.share", { cause, change });
}

function list(items: readonly string[]): string {
  // Safari 14.0 has no list format.
  if (!("ListFormat" in Intl)) return items.join(", ");
  return new Intl.ListFormat(prefs.value.language, { type: "unit", style: "short" }).format(items);
}

/** The phone's language, and for a browser that does not know Icelandic one that writes figures alike. */
export function locales(): readonly string[] {
  return prefs.value.language === "is" ? ["is", "da"] : [prefs.value.language];
}

/** How to write a day: its month in letters if the browser knows the language. */
export function dayAndMonth(): Intl.DateTimeFormatOptions {
  const known = Intl.DateTimeFormat.supportedLocalesOf(prefs.value.language).length > 0;
  return { day: "numeric", month: known ? "short" : "numeric" };
}

/** Format day and time for the phone's language; "" for an invalid time. */
export function day(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return "";
  return time.toLocaleString([...locales()], {
    ...dayAndMonth(),
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** Format the time of day of a `Date.now()`, with seconds. */
export function time(at: number): string {
  return new Date(at).toLocaleTimeString([...locales()], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}

function plural(forms: Plural, args: Args): string {
  const count = args.count ?? Object.values(args).find((value) => typeof value === "number") ?? 0;
  const rule = new Intl.PluralRules(prefs.value.language).select(Number(count));
  return forms[rule] ?? forms.other ?? "";
}

/** Parameters that hold a seat. */
const SEATS = new Set(["seat", "by", "other", "target", "winner"]);
/** Parameters that hold an id, and the family of keys that names it. */
const FAMILIES: Readonly<Record<string, string>> = {
  place: "place",
  from: "place",
  area: "place",
  face: "face",
  into: "face",
  tile: "tile",
  unit: "tile",
  token: "token",
  what: "number",
  game: "game",
};

/** The text for parameter `name`: seats as players, ids by their names, everything else unchanged. */
function valueText(name: string, value: string | number): string {
  const plain = name.replace(/_?\d+$/, "");
  if (typeof value === "number") {
    if (SEATS.has(plain)) return namer.player(value);
    return plain === "monster" ? namer.monster(value) : String(value);
  }
  if (plain === "card") return cardName(value);
  if (plain === "monster") return t(`monster.${value}`);
  const family = FAMILIES[plain];
  if (family === undefined) return value;
  return knows(`${family}.${value}`) ? t(`${family}.${value}`) : plainId(value);
}

function cardSentence(id: string, part: "name" | "text"): string | null {
  const own = `card.${namer.game()}.${namer.edition()}.${id}.${part}`;
  const key = knows(own) ? own : `card.${namer.game()}.${id}.${part}`;
  return knows(key) ? t(key) : null;
}

/** The card's name in the phone's language; a readable form of its id if there is none. */
export function cardName(id: string): string {
  return cardSentence(id, "name") ?? plainId(id);
}

export function cardText(id: string): string {
  return cardSentence(id, "text") ?? "";
}

/** The Monster's name as on the players' box, else that of its picture. */
export function monsterName({ monster, called }: Readonly<{ monster: string; called: string }>) {
  return called || t(`monster.${monster}`);
}

/** The name printed in the English box, if the phone shows another one. */
export function printedName(id: string): string | null {
  if (knows(`card.${namer.game()}.${namer.edition()}.${id}.name`)) return null; // an edition's own name is shown as printed
  const printed = id.replace(
    /(^|_)(\w)/g,
    (_, gap: string, letter: string) => (gap === "" ? "" : " ") + letter.toUpperCase(),
  );
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  return plain(printed) === plain(cardName(id)) ? null : printed;
}
