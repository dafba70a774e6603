/** The people at the table: seats, claims, the host, and requests about them. */
import { computed, effect, signal } from "@preact/signals";
import type { Claim, Lobby, People, Person, SeatSetup, Update } from "../wire";
import { type Answer, api } from "./api";
import { refusal, showFailure, took } from "./outbox";
import { cue } from "./prefs";
import { closeSheet, go, openSheet, tab } from "./route";
import { game, justWatch, names, seatPicking, show, view, you } from "./table";
import { t } from "./words";

const NOBODY: People = { persons: [], claims: [], host: null, host_lost: false };

export const people = computed<People>(() => view.value?.people ?? NOBODY);
/** The host's browser; null: there is none. */
export const host = computed<Person | null>(() => personOf(people.value.host));

/** A seat and its holder, if any. */
export type Chair = Readonly<{
  player: string;
  monster: string;
  called: string;
  holder: Person | null;
}>;

export const chairs = computed<readonly Chair[]>(() => {
  const seats = view.value?.lobby?.seats ?? game.value?.seats ?? [];
  return seats.map(({ player, monster, called }, seat) => ({
    player,
    monster,
    called,
    holder: holderOf(seat),
  }));
});

export function personOf(id: string | null): Person | null {
  return people.value.persons.find((one) => one.id === id) ?? null;
}

export function holderOf(seat: number): Person | null {
  return people.value.persons.find((one) => one.seat === seat) ?? null;
}

/** Return a person's name: the player's, or "first watcher" and so on. */
export function personName(one: Person): string {
  if (one.seat !== null) return names.player(one.seat);
  const count = people.value.persons.filter((other) => other.seat === null).indexOf(one) + 1;
  return t("people.watcher", { count });
}

/** Whether this phone may take the seat without asking. */
export function canTakeOver(seat: number): boolean {
  const holder = holderOf(seat);
  return holder === null || holder.phone === "lost" || you.value.role === "host";
}

/** Notices over a screen that need an answer, one at a time; those that others wait for come first. */
export type Notice =
  | { readonly kind: "claim"; readonly claim: Claim; readonly mine: boolean }
  | { readonly kind: "kept"; readonly seat: number }
  | { readonly kind: "taken"; readonly seat: number }
  | { readonly kind: "host_lost" }
  | { readonly kind: "late"; readonly count: number }
  | { readonly kind: "host"; readonly person: Person };

/** A change of host, shown until a tap. */
const newHost = signal<string | null>(null);
const seenKept = signal<number | null>(null);
const seenLate = signal(0);

export const notice = computed<Notice | null>(() => {
  const { role, seat, before, kept } = you.value;
  const { claims, host_lost } = people.value;
  const claim =
    claims.find((one) => one.seat === seat) ?? (role === "host" ? claims[0] : undefined);
  if (claim !== undefined) return { kind: "claim", claim, mine: claim.seat === seat };
  if (kept !== null && kept !== seenKept.value) return { kind: "kept", seat: kept };
  const looksAway = justWatch.value || tab.value !== "monster";
  if (seat === null && before !== null && looksAway) return { kind: "taken", seat: before };
  if (host_lost && seat !== null && role !== "host") return { kind: "host_lost" };
  const late = view.value?.join?.late ?? 0;
  if (role === "host" && late > seenLate.value) return { kind: "late", count: late };
  // A host who tries the demo dice sets no table.
  const fresh = view.value?.tray.demo ? null : personOf(newHost.value);
  return fresh === null ? null : { kind: "host", person: fresh };
});

/** Dismiss the notice. */
export function seen(one: Notice): void {
  if (one.kind === "kept") seenKept.value = one.seat;
  if (one.kind === "host") newHost.value = null;
  if (one.kind === "late") seenLate.value = one.count;
}

/** Watch for a new host, and for this phone getting a seat. */
export function watchPeople(): void {
  let before: string | null | undefined;
  let seat: number | null = null;
  effect(() => {
    const now = view.value?.people?.host;
    if (now === undefined) return;
    if (before !== undefined && now !== null && now !== before) newHost.value = now;
    before = now;
  });
  effect(() => {
    const now = you.value.seat;
    if (now !== null && now !== seat) seatPicking.value = justWatch.value = false;
    seat = now;
  });
  effect(() => {
    if (you.value.kept === null) seenKept.value = null;
  });
  effect(() => {
    if ((view.value?.join?.late ?? 0) === 0) seenLate.value = 0;
  });
  let asked = "";
  effect(() => {
    const one = notice.value;
    const claim = one?.kind === "claim" ? `${one.claim.by}:${one.claim.seat}` : "";
    if (claim !== "" && claim !== asked) cue("question");
    asked = claim;
  });
}

async function accepted(asked: Promise<Answer<Update>>): Promise<boolean> {
  const answer = await asked;
  if (answer.kind === "done") {
    refusal.value = null;
    show(answer.value);
    return true;
  }
  showFailure(answer);
  if (answer.kind === "refused" && answer.problem.update !== null) show(answer.problem.update);
  return false;
}

/** Let this phone choose a seat, on the first tab. */
export function pickSeat(): void {
  justWatch.value = false;
  seatPicking.value = true;
  go("monster");
}

/** Take the seat or ask for it: the service decides by who holds it. */
export async function takeSeat(seat: number): Promise<void> {
  closeSheet();
  await accepted(api.seat({ seat, take_over: true }));
}

/** What is typed and chosen on the way to a seat; it stays if the seat is refused or the line is lost. */
export const wish = signal<SeatSetup>({ player: "", monster: "" });

export function wishFor(change: Partial<SeatSetup>): void {
  wish.value = { ...wish.value, ...change };
}

/** The wished Monster, else the first that no seat has. */
export function freeMonster({ seats, monsters }: Lobby, wished: string): string {
  const taken = new Set(["", ...seats.map((seat) => seat.monster)]);
  return [wished, ...monsters].find((one) => !taken.has(one)) ?? "";
}

const LONGEST = 24;

/** What is wrong with the name of a seat, in words; "" if nothing is. A new phone (null) may sit where its name waits. */
export function nameProblem(typed: string, index: number | null): string {
  const name = typed.normalize("NFC").trim().replace(/\s+/g, " ");
  const over = [...name].length - LONGEST;
  if (over > 0) return t("name.long", { count: over });
  const other = chairs.value.findIndex(
    (chair, at) => at !== index && chair.player.toLowerCase() === name.toLowerCase(),
  );
  const waits = index === null && chairs.value[other]?.holder === null;
  return name === "" || other < 0 || waits ? "" : t("name.taken", { name });
}

/** Make this phone's seat, or change it; the host then shows the way in to the others. */
export async function sitDown(one: SeatSetup): Promise<void> {
  const first = you.value.seat === null;
  if ((await accepted(api.sit(one))) && first && you.value.role === "host")
    openSheet({ kind: "qr" });
}

/** Leave the seat, if any, and watch. */
export async function watchOnly(): Promise<void> {
  if (you.value.seat === null || (await accepted(api.leave()))) {
    justWatch.value = true;
    seatPicking.value = false;
  }
}

export const withdraw = () => accepted(api.withdraw());
export const answerClaim = (claim: Claim, give: boolean) => accepted(api.claim({ ...claim, give }));
/** Make a new code; `open`: whether it admits phones. */
export const changeCode = (open: boolean) => accepted(api.code({ open }));

/** Show the code of the table's Wi-Fi to all, or to the host alone. */
export const showWifi = (toAll: boolean) => accepted(api.wifi({ to_all: toAll }));

/** Put another address on the QR code; the stream brings the new view. */
export async function chooseAddress(address: string): Promise<void> {
  await took(api.address({ address }));
}

/** Make the browser host; null: this one, in place of a lost host. */
export async function makeHost(id: string | null): Promise<void> {
  closeSheet();
  await accepted(api.host({ to: id }));
}

/** Sign out the browser, or (null) all but this one; code and QR code change. */
export async function signOut(id: string | null): Promise<void> {
  closeSheet();
  await accepted(api.signOut({ who: id }));
}
