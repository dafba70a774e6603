/** Making and choosing a seat; the people, and the host's actions about them. */
import { useEffect, useState } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import * as setting from "../store/games";
import * as people from "../store/people";
import { chooseAddress } from "../store/people";
import { fetchNames, knownNames } from "../store/records";
import { closeSheet, openSheet } from "../store/route";
import { keepSeat, names, seatOf, view, you } from "../store/table";
import { layDemoDice } from "../store/tray";
import { t } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, Heading, Note, Primary } from "../ui/kit";
import { Gone, SheetFrame } from "../ui/strips";
import { Night, TitleHead } from "../ui/table";
import type { Join, KnownName, Lobby, Person, SeatSetup } from "../wire";

/** The QR code's picture; its address changes with the code and the address. */
export function qrOf(join: Join): string {
  return `/api/qr.svg?code=${join.code}&address=${encodeURIComponent(join.address)}`;
}

/** Other addresses to try; the host's tap puts one on the QR code. */
export function OtherAddresses({ of, host }: { of: Join; host: boolean }) {
  const others = of.addresses.filter((one) => one !== of.address);
  if (others.length === 0) return null;
  return (
    <div class="other-addresses col gap-8 text-center">
      <p class="muted small">{t(host ? "qr.use_other" : "qr.others")}</p>
      {others.map((one) =>
        host ? (
          <Act text={one} key={one} onTap={() => void chooseAddress(one)} />
        ) : (
          <p key={one} class="address small">
            {one}
          </p>
        ),
      )}
    </div>
  );
}

/** The connection state of a seat's phone, in words. */
export function phoneWords(holder: Person): string {
  const words =
    holder.phone === "lost"
      ? t("phone.lost", { count: holder.silent_min })
      : t(`phone.${holder.phone}`);
  return holder.role === "host" ? t("phone.host", { words }) : words;
}

interface SeatFormProps {
  readonly lobby: Lobby;
  /** null: of a seat that is still to be made. */
  readonly index: number | null;
  readonly seat: SeatSetup;
  readonly problem: string;
  readonly onChange: (change: Partial<SeatSetup>) => void;
  readonly onEnter: () => void;
}

/** Who sits there, with which Monster. */
function SeatForm({ lobby, index, seat, problem, onChange, onEnter }: SeatFormProps) {
  return (
    <>
      <label class="field col gap-6 semibold">
        <span class="label">{t("seat.name")}</span>
        <input
          data-first
          type="text"
          autocomplete="off"
          enterkeyhint="go"
          placeholder={t("join.name")}
          value={seat.player}
          aria-invalid={problem !== ""}
          onInput={(event) => onChange({ player: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === "Enter") onEnter();
          }}
        />
        <span class="gold" role="status">
          {problem}
        </span>
      </label>
      <KnownNames lobby={lobby} index={index} onChoose={onChange} />
      <p class="label">{t("seat.monster")}</p>
      <div class="monsters grid cols-4 gap-8">
        {lobby.monsters.map((monster) => {
          const other = lobby.seats.some((one, at) => one.monster === monster && at !== index);
          return (
            <button
              key={monster}
              type="button"
              class={`monster-pick col items-center gap-4 min-0 rounded no-fill color-text ${monster === seat.monster ? "chosen" : ""}`}
              aria-pressed={monster === seat.monster}
              disabled={other}
              data-answer={monster}
              onClick={() => onChange({ monster })}
            >
              <MonsterTile monster={monster} size={56} out={other} />
              <small>{t(`monster.${monster}`)}</small>
            </button>
          );
        })}
      </div>
      <label class="field col gap-6 semibold">
        <span class="label">{t("seat.called")}</span>
        <input
          type="text"
          autocomplete="off"
          maxLength={24}
          placeholder={t(`monster.${seat.monster}`)}
          value={seat.called ?? ""}
          onInput={(event) => onChange({ called: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

/** The way to a seat: before a game a name and a Monster make one, else it is one of those at the table. */
export function SeatScreen() {
  const lobby = setting.lobby.value;
  const most = lobby === null ? 0 : (setting.boxOf(lobby)?.players_max ?? 6);
  const makes = lobby !== null && you.value.seat === null && lobby.seats.length < most;
  return makes ? <JoinScreen lobby={lobby} /> : <ChooseScreen />;
}

function JoinScreen({ lobby }: { readonly lobby: Lobby }) {
  const { before, role } = you.value;
  const wished = people.wish.value;
  const seat = { ...wished, monster: people.freeMonster(lobby, wished.monster) };
  const problem = people.nameProblem(seat.player, null);
  const ready = seat.player.trim() !== "" && problem === "";
  const join = () => {
    if (ready) void people.sitDown(seat);
  };
  // Only a seat whose phone is missing can be that of somebody who comes now.
  const rows = people.chairs.value
    .map((chair, index) => ({ chair, index }))
    .filter(({ chair, index }) => (chair.holder?.phone ?? "lost") === "lost" || index === before);
  return (
    <Screen
      name="join"
      status={t(role === "host" ? "lobby.host" : "title")}
      tabs={false}
      head={<TitleHead text={t(before === null ? "head.who" : "head.seat_lost")} />}
      dock={
        <>
          <Primary
            text={t(ready ? "join.go" : problem === "" ? "join.name" : "join.other_name")}
            onTap={ready ? join : undefined}
          />
          <Act class="wide-act" text={t("seat.watch")} onTap={() => void people.watchOnly()} />
        </>
      }
    >
      <NoHost />
      <SeatForm
        lobby={lobby}
        index={null}
        seat={seat}
        problem={problem}
        onChange={people.wishFor}
        onEnter={join}
      />
      {rows.length > 0 && <p class="label">{t("join.waiting")}</p>}
      {rows.map(({ chair, index }) => (
        <SeatRow key={index} chair={chair} seat={index} />
      ))}
      {role === "host" && (
        <Act
          sign="dice"
          class="demo-try"
          text={t("demo.try")}
          onTap={() => void layDemoDice(true)}
        />
      )}
    </Screen>
  );
}

function NoHost() {
  if (people.people.value.host !== null) return null;
  return <Note sign="crown">{t("error.host_from_terminal")}</Note>;
}

function ChooseScreen() {
  const { seat, before } = you.value;
  const full = seat === null && people.chairs.value.every((chair) => chair.holder !== null);
  const head = before !== null ? "head.seat_lost" : full ? "head.full" : "head.seat";
  return (
    <Screen
      name="pick-seat"
      status={t("title")}
      tabs={view.value?.game !== null}
      head={<TitleHead text={t(head)} />}
      dock={
        <div class={seat === null ? "grid" : "two"}>
          <Act class={full ? "wide-act chosen" : "wide-act"} onTap={() => void people.watchOnly()}>
            {t(seat === null ? "seat.watch" : "seat.stand")}
          </Act>
          {seat !== null && <Act text={t("seat.keep")} class="wide-act" onTap={keepSeat} />}
        </div>
      }
    >
      <NoHost />
      {people.chairs.value.map((chair, index) => (
        <SeatRow key={index} chair={chair} seat={index} />
      ))}
    </Screen>
  );
}

function SeatRow({ chair, seat }: { readonly chair: people.Chair; readonly seat: number }) {
  const { holder } = chair;
  const mine = you.value.seat === seat;
  const wasMine = you.value.before === seat;
  const free = holder === null || wasMine;
  const silent = holder?.phone === "lost";
  const tapped = () => {
    if (mine) keepSeat();
    else if (free) void people.takeSeat(seat);
    else openSheet({ kind: "take", seat });
  };
  return (
    <button
      type="button"
      class={`seat-row boxed row gap-12 w-full text-left color-text ${mine ? "mine" : free ? "free" : ""}`}
      data-answer={seat}
      onClick={tapped}
    >
      <MonsterTile monster={chair.monster} size={44} />
      <span class="seat-words col grow">
        <b>{chair.player.trim() === "" ? t("seat.unnamed") : chair.player}</b>
        <span class={silent && !mine ? "gold" : "muted"}>{chairWords(seat, holder)}</span>
      </span>
      <Sign
        name={free ? "chevron_right" : silent ? "clock" : "phone"}
        size={24}
        class={free ? "go" : "muted"}
      />
    </button>
  );
}

function chairWords(seat: number, holder: Person | null): string {
  if (you.value.seat === seat) return t("seat.yours");
  if (you.value.before === seat) return t("seat.back");
  return holder === null ? t("seat.free") : phoneWords(holder);
}

/** A seat that somebody holds: what taking it means, and the confirmation. */
export function TakeSheet({ seat }: { readonly seat: number }) {
  const holder = people.holderOf(seat);
  const monster = monsterOf(seat);
  const lost = holder === null || holder.phone === "lost";
  const name = lost ? "take.silent_head" : "take.live_head";
  return (
    <SheetFrame
      name="take"
      label={t(name, { seat })}
      picture={<MonsterTile monster={monster} size={88} />}
      about={holder !== null && <p class="muted">{phoneWords(holder)}</p>}
    >
      <p>
        {t(lost ? "take.silent" : people.canTakeOver(seat) ? "take.as_host" : "take.live", {
          seat,
        })}
      </p>
      <Primary
        text={t(people.canTakeOver(seat) ? "take.it" : "take.ask")}
        onTap={() => void people.takeSeat(seat)}
      />
      <Act text={t("take.other")} onTap={closeSheet} />
    </SheetFrame>
  );
}

function monsterOf(seat: number): string {
  return seatOf(seat)?.monster ?? view.value?.lobby?.seats[seat]?.monster ?? "";
}

/** A requested seat: what the phone waits for, and how to withdraw. */
export function AskingScreen({ seat }: { readonly seat: number }) {
  const holder = people.holderOf(seat);
  const silent = holder !== null && holder.phone !== "live";
  const chief = people.host.value;
  const hostAnswers = chief !== null && chief.phone === "live" && chief.id !== holder?.id;
  const how = silent ? "asking.silent" : hostAnswers ? "asking.both" : "asking.holder";
  return (
    <Screen
      name="asking"
      status={t("title")}
      tabs={view.value?.game !== null}
      head={
        <TitleHead text={t("head.asking", { seat })}>
          <Night monster={monsterOf(seat)} />
        </TitleHead>
      }
      dock={
        <div class="two">
          <Act class="wide-act" onTap={() => void people.withdraw().then(people.pickSeat)}>
            {t("asking.other")}
          </Act>
          <Act class="wide-act" onTap={() => void people.withdraw().then(people.watchOnly)}>
            {t("asking.withdraw")}
          </Act>
        </div>
      }
    >
      <Note sign={silent ? "clock" : "phone"} tone={silent ? "doubt" : "info"}>
        <p>{t(how, { seat, host: chief === null ? "" : people.personName(chief) })}</p>
      </Note>
      <p class="muted">{t("asking.meanwhile", { player: names.player(seat) })}</p>
    </Screen>
  );
}

/** All browsers; the host taps one. */
export function PeopleList() {
  const { persons } = people.people.value;
  const isHost = you.value.role === "host";
  return (
    <>
      <Heading
        text={t("people.head")}
        note={t("people.count", { count: persons.filter((one) => one.phone === "live").length })}
      />
      {persons.map((one) => (
        <PersonRow key={one.id} person={one} tappable={isHost && one.id !== you.value.id} />
      ))}
      {isHost && <HostActs />}
    </>
  );
}

function PersonRow({ person, tappable }: { person: Person; tappable: boolean }) {
  const inside = (
    <>
      <Picture person={person} size={44} />
      <span class="seat-words col grow">
        <b>
          {person.id === you.value.id
            ? t("people.you", { name: people.personName(person) })
            : people.personName(person)}
        </b>
        <span class={person.phone === "lost" ? "gold" : "muted"}>{phoneWords(person)}</span>
      </span>
      {person.role === "host" && <Sign name="crown" size={24} class="gold" />}
      {tappable && <Sign name="chevron_right" size={24} class="muted" />}
    </>
  );
  if (!tappable) return <div class="seat-row boxed row gap-12 w-full text-left">{inside}</div>;
  return (
    <button
      type="button"
      class="seat-row boxed row gap-12 w-full text-left color-text person"
      onClick={() => openSheet({ kind: "person", id: person.id })}
    >
      {inside}
    </button>
  );
}

function Picture({ person, size }: { readonly person: Person; readonly size: number }) {
  const monster = person.seat === null ? "" : monsterOf(person.seat);
  if (monster !== "") return <MonsterTile monster={monster} size={size} />;
  return (
    <span class="empty-spot rigid rounded person-spot middle">
      <Sign name="phone" size={24} />
    </span>
  );
}

function HostActs() {
  const open = view.value?.join?.open ?? true;
  return (
    <>
      <div class="two">
        <Act text={t(open ? "qr.new" : "people.open")} onTap={() => void people.changeCode(true)} />
        {open ? (
          <Twice
            text={t("people.close")}
            ask={t("people.close_sure")}
            onSure={() => void people.changeCode(false)}
          />
        ) : (
          <Act disabled text={t("people.closed")} onTap={() => undefined} />
        )}
      </div>
      {people.people.value.persons.length > 1 && (
        <Twice
          text={t("people.sign_out_all")}
          ask={t("people.sign_out_all_sure")}
          onSure={() => void people.signOut(null)}
        />
      )}
    </>
  );
}

/** A button with confirmation: its effect is explained after the first tap, and the second is on the same spot. */
function Twice({ text, ask, onSure }: TwiceProps) {
  const [asked, setAsked] = useState(false);
  return (
    <Act
      class={asked ? "sure" : ""}
      onTap={() => {
        setAsked(!asked);
        if (asked) onSure();
      }}
    >
      <Sign name={asked ? "warning" : "cross"} size={22} /> {asked ? ask : text}
    </Act>
  );
}

type TwiceProps = Readonly<{ text: string; ask: string; onSure: () => void }>;

/** One browser: make it host, or sign it out. */
export function PersonSheet({ id }: { readonly id: string }) {
  const person = people.personOf(id);
  if (person === null) {
    return (
      <SheetFrame name="person" label={t("error.nobody")}>
        <Close />
      </SheetFrame>
    );
  }
  const name = people.personName(person);
  return (
    <SheetFrame
      name="person"
      label={name}
      picture={<Picture person={person} size={88} />}
      about={<p class="muted">{phoneWords(person)}</p>}
    >
      <p>{t("people.host_may")}</p>
      {person.phone === "lost" ? (
        <Primary text={t("people.silent")} />
      ) : (
        <Primary
          text={t("people.make_host", { name })}
          onTap={() => void people.makeHost(person.id)}
        />
      )}
      <Twice
        text={t("people.sign_out", { name })}
        ask={t("people.sign_out_sure", { name })}
        onSure={() => void people.signOut(person.id)}
      />
      <Close />
    </SheetFrame>
  );
}

/** The host is lost: a seated phone replaces it. */
export function HostSheet() {
  const chief = people.host.value;
  const name = chief === null ? "" : people.personName(chief);
  return (
    <SheetFrame name="host" label={t("host.lost_head")} tone="doubt">
      <p>{t("host.lost", { name, count: chief?.silent_min ?? 0 })}</p>
      <Primary text={t("host.be")} onTap={() => void people.makeHost(null)} />
      <Act text={t("host.wait")} onTap={closeSheet} />
    </SheetFrame>
  );
}

/** The list as a screen, if there are no tabs: before a game, on the host's phone. */
export function PeopleScreen() {
  return (
    <Screen
      name="people"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("people.head")} lines={1} most={54} />
          <p>{t("people.host_may")}</p>
        </>
      }
      dock={<Act text={t("done")} class="wide-act chosen" onTap={closeSheet} />}
    >
      <PeopleList />
    </Screen>
  );
}

/** A seat's name and Monster, for its player and the host, who may also add one (-1) and remove it. */
export function SeatSheet({ index }: { readonly index: number }) {
  const lobby = setting.lobby.value;
  // What is typed is kept here until it is saved: a new view changes nothing under the fingers.
  const [draft, setDraft] = useState<SeatSetup | null>(null);
  if (lobby === null) return <Gone />;
  const host = you.value.role === "host";
  const old = lobby.seats[index];
  const seat = draft ?? old ?? { player: "", monster: people.freeMonster(lobby, "") };
  const problem = people.nameProblem(seat.player, index);
  const ready = seat.player.trim() !== "" && problem === "";
  const { seats } = lobby;
  const save = () => {
    if (!ready) return;
    if (!host) void people.sitDown(setting.seatSetup(seat));
    else if (old === undefined) setting.setTable({ seats: [...seats, seat] });
    else setting.setTable({ seats: seats.map((one) => (one === old ? seat : one)) });
    closeSheet();
  };
  const count = (old === undefined ? seats.length : index) + 1;
  return (
    <SheetFrame name="seat" label={t("seat.head", { count })}>
      <SeatForm
        lobby={lobby}
        index={index}
        seat={seat}
        problem={problem}
        onChange={(change) => setDraft({ ...seat, ...change })}
        onEnter={save}
      />
      <Act text={t(ready ? "done" : "join.name")} class="chosen" disabled={!ready} onTap={save} />
      {host && old !== undefined && (
        <Act
          text={t("seat.remove")}
          onTap={() => {
            setting.setTable({ seats: seats.filter((one) => one !== old) });
            closeSheet();
          }}
        />
      )}
      <Close />
    </SheetFrame>
  );
}

const MOST = 8;

interface KnownNamesProps {
  readonly lobby: Lobby;
  readonly index: number | null;
  readonly onChoose: (seat: Partial<SeatSetup>) => void;
}

function KnownNames({ lobby, index, onChoose }: KnownNamesProps) {
  useEffect(() => void fetchNames(), []);
  const here = new Set(lobby.seats.map((one) => one.player.toLowerCase()));
  const known = knownNames.value ?? [];
  const free = known.filter(({ name }) => !here.has(name.toLowerCase())).slice(0, MOST);
  if (free.length === 0) return null;
  /** The Monster of the last time comes along if no other seat has it. */
  const seatOf = ({ name, monster }: KnownName): Partial<SeatSetup> =>
    lobby.seats.some((one, at) => at !== index && one.monster === monster)
      ? { player: name }
      : { player: name, monster };
  return (
    <div class="known-names row wrap gap-8" role="group" aria-label={t("seat.known")}>
      <small class="muted">{t("seat.known")}</small>
      {free.map((one) => (
        <button key={one.name} type="button" class="act" onClick={() => onChoose(seatOf(one))}>
          {one.name}
        </button>
      ))}
    </div>
  );
}
