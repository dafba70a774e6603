/** Who is at the table: seats, claims, the host; and what a tap asks of the table about them. */
import { computed, effect, signal } from "@preact/signals";
import type { Claim, People, Person, Update } from "../../wire";
import { cue } from "../phone/cues";
import { closeSheet, go, tab } from "../phone/route";
import { type Answer, api } from "../server/api";
import { refusal, showFailure } from "../server/outbox";
import { t } from "../words";
import { justWatch, seatPicking } from "./seat";
import { game, names, show, view, you } from "./table";

const NOBODY: People = { persons: [], claims: [], host: null, host_lost: false };

export const people = computed<People>(() => view.value?.people ?? NOBODY);
/** The host's browser; null: there is none. */
export const host = computed<Person | null>(() => personOf(people.value.host));

/** A seat as it stands: who holds it, if anybody. */
export interface Chair {
  readonly player: string;
  readonly monster: string;
  readonly holder: Person | null;
}

export const chairs = computed<readonly Chair[]>(() => {
  const seats = view.value?.lobby?.seats ?? game.value?.seats ?? [];
  return seats.map(({ player, monster }, seat) => ({ player, monster, holder: holderOf(seat) }));
});

export function personOf(id: string | null): Person | null {
  return people.value.persons.find((one) => one.id === id) ?? null;
}

export function holderOf(seat: number): Person | null {
  return people.value.persons.find((one) => one.seat === seat) ?? null;
}

/** By the player's name, or as the first, second … phone that only watches. */
export function personName(one: Person): string {
  if (one.seat !== null) return names.player(one.seat);
  const count = people.value.persons.filter((other) => other.seat === null).indexOf(one) + 1;
  return t("people.watcher", { count });
}

/** Whether the seat goes over without asking anybody. */
export function canTakeOver(seat: number): boolean {
  const holder = holderOf(seat);
  return holder === null || holder.phone === "lost" || you.value.role === "host";
}

/** What stands over a screen until it is answered: one at a time, what others wait for first. */
export type Notice =
  | { readonly kind: "claim"; readonly claim: Claim; readonly mine: boolean }
  | { readonly kind: "kept"; readonly seat: number }
  | { readonly kind: "taken"; readonly seat: number }
  | { readonly kind: "host_lost" }
  | { readonly kind: "host"; readonly person: Person };

/** A host that this phone has seen come: until its tap. */
const newHost = signal<string | null>(null);
const seenKept = signal<number | null>(null);

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
  const fresh = personOf(newHost.value);
  return fresh === null ? null : { kind: "host", person: fresh };
});

/** The notice has been read. */
export function seen(one: Notice): void {
  if (one.kind === "kept") seenKept.value = one.seat;
  if (one.kind === "host") newHost.value = null;
}

/** Watches who becomes host and when this phone gets a seat. */
export function watchPeople(): void {
  let before: string | null | undefined;
  let seat: number | null = null;
  effect(() => {
    const now = view.value?.people.host;
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
  let asked = "";
  effect(() => {
    const one = notice.value;
    const claim = one?.kind === "claim" ? `${one.claim.by}:${one.claim.seat}` : "";
    if (claim !== "" && claim !== asked) cue("question");
    asked = claim;
  });
}

/** The act that a second tap confirms, and the person it concerns; "" for everybody. */
export const unconfirmed = signal<string | null>(null);

/** True where this is the second tap; the first one asks. */
export function confirmed(id: string): boolean {
  const second = unconfirmed.value === id;
  unconfirmed.value = second ? null : id;
  return second;
}

/** Notes that this phone is host, when it joins as one. */
export function welcome(update: Update): void {
  if (update.you.role === "host") newHost.value = update.you.id;
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

/** The phone chooses a seat: the first tab shows them. */
export function pickSeat(): void {
  justWatch.value = false;
  seatPicking.value = true;
  go("monster");
}

/** The seat is this phone's, or is asked for: the table decides by who holds it. */
export async function takeSeat(seat: number): Promise<void> {
  closeSheet();
  await accepted(api.seat({ seat, take_over: true }));
}

/** The phone watches; a seat that it has is free for others. */
export async function watchOnly(): Promise<void> {
  if (you.value.seat === null || (await accepted(api.leave()))) {
    justWatch.value = true;
    seatPicking.value = false;
  }
}

export const withdraw = () => accepted(api.withdraw());
export const answerClaim = (claim: Claim, give: boolean) => accepted(api.claim({ ...claim, give }));
/** Make a new code, which lets phones in or not. */
export const changeCode = (open: boolean) => accepted(api.code({ open }));

/** Put another address of the table on the QR code; the stream brings the view with it. */
export async function chooseAddress(address: string): Promise<void> {
  const answer = await api.address({ address });
  if (answer.kind !== "done") showFailure(answer);
}

/** The browser is host; null: this one, in place of a lost one. */
export async function makeHost(id: string | null): Promise<void> {
  closeSheet();
  await accepted(api.host({ to: id }));
}

/** The browser has to join again, or (null) all but this one; code and QR code change. */
export async function signOut(id: string | null): Promise<void> {
  closeSheet();
  await accepted(api.signOut({ who: id }));
}
