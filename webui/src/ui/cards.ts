/** Finding a printed card: by its name in any language, its cost, or words of what it does. */
import { tiedNames } from "../store/looks";
import { cardName, cardText, printedName } from "../store/words";
import type { Nameable } from "../wire";

/** The names of a card beside the one that the phone shows. */
export function otherNames(card: string): readonly string[] {
  return [printedName(card), tiedNames.value[card]].filter((name) => name != null);
}

/** Fold case and accents, so that any keyboard finds any card. */
function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .toLowerCase();
}

export interface Found {
  readonly card: Nameable;
  /** Whether its name begins like the text; else its cost and effect fit. */
  readonly named: boolean;
}

function rank(card: Nameable, wanted: string): number {
  const { name } = card;
  const names = plain([cardName(name), ...otherNames(name), name].join(" "));
  if (names.startsWith(wanted)) return 0;
  if (` ${names}`.includes(` ${wanted}`)) return 1;
  const effect = ` ${names} ${plain(cardText(name))}`;
  // "estrellas" finds "1 estrella".
  const fits = (word: string) =>
    effect.includes(` ${word.length > 3 ? word.replace(/s$/, "") : word}`);
  const words = wanted.split(" ");
  if (words.every((word) => word === String(card.cost) || fits(word)))
    return words.includes(String(card.cost)) ? 2 : 3;
  return 4;
}

/** The cards that fit the text, by name if there are any, else by cost and effect; all for no text. */
export function find(cards: readonly Nameable[], text: string): readonly Found[] {
  const wanted = plain(text).trim();
  const ranked = cards.map((card) => ({ card, at: rank(card, wanted) }));
  const best = ranked.some(({ at }) => at < 2) ? 2 : 4;
  return ranked
    .filter(({ at }) => at < best)
    .sort((a, b) => a.at - b.at || cardName(a.card.name).localeCompare(cardName(b.card.name)))
    .map(({ card, at }) => ({ card, named: at < 2 }));
}
