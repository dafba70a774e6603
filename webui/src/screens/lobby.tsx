/** Before a game: joining by code or QR, which box, who sits where, who starts. */
import { useEffect, useState } from "preact/hooks";
import { Sign } from "../art";
import { redo } from "../store/acts";
import * as setting from "../store/games";
import { openGames } from "../store/games";
import { send } from "../store/outbox";
import { chairs, changeCode, holderOf, people, showWifi, takeSeat } from "../store/people";
import { fetchNames, knownNames } from "../store/records";
import { closeSheet, openSheet } from "../store/route";
import { openSetup } from "../store/setup";
import { askTitle, join, joining, tableTitle, typeCode, typedCode } from "../store/stream";
import { view, you } from "../store/table";
import { layDemoDice } from "../store/tray";
import { say, t } from "../store/words";
import { Corner, Segment, Switch } from "../ui/choices";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, CodeCells, IdSign, Note, Primary } from "../ui/kit";
import { SheetFrame, SitDown } from "../ui/strips";
import { MonsterTile, TitleHead } from "../ui/table";
import { TrayStrip } from "../ui/tray";
import type { Join, KnownName, Lobby, Product, SeatSetup } from "../wire";
import { OtherAddresses, qrOf } from "./people";

const CODE_LENGTH = 6;

/** A field for the code; where a machine has several tables, it says which one this is. */
export function StrangerScreen() {
  useEffect(() => void askTitle(), []);
  const table = tableTitle.value;
  const letters = typedCode.value.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const enough = letters.length === CODE_LENGTH;
  return (
    <Screen
      name="stranger"
      status={t("title")}
      tabs={false}
      head={<TitleHead text={t("head.join")} />}
      dock={
        enough && !joining.value ? (
          <Primary text={t("join.go")} onTap={() => void join({ token: null, code: letters })} />
        ) : (
          <Primary
            text={
              joining.value
                ? t("sending.now")
                : t("join.more", { count: CODE_LENGTH - letters.length })
            }
          />
        )
      }
    >
      {table !== "" && <p class="code-table num">{t("tables.table", { name: table })}</p>}
      <label class="field">
        <span>{t("join.code")}</span>
        <input
          class="code-input num"
          type="text"
          inputMode="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={8}
          value={typedCode.value}
          onInput={(event) => typeCode(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && enough) void join({ token: null, code: letters });
          }}
        />
      </label>
      <p class="muted">{t("join.or_scan")}</p>
    </Screen>
  );
}

const NOBODY_MS = 60_000;

function useNobody(): boolean {
  const here = people.value.persons.length;
  const [nobody, setNobody] = useState(false);
  useEffect(() => {
    setNobody(false);
    const clock = window.setTimeout(() => setNobody(true), NOBODY_MS);
    return () => window.clearTimeout(clock);
  }, [here]);
  return nobody;
}

/** Address, code and QR for the next phone; where the table has a Wi-Fi, its code takes their place in a tap. */
export function QrScreen() {
  const [turned, turn] = useState(false);
  const nobody = useNobody();
  const late = view.value?.join?.late ?? 0;
  const how = view.value?.join ?? null;
  const host = you.value.role === "host";
  const shown = how?.wifi ?? "nobody";
  const offersWifi = shown === "all" || (host && shown === "host");
  const wifi = turned && offersWifi;
  return (
    <Screen
      name="qr"
      status={how?.table ? t("tables.table", { name: how.table }) : t("title")}
      tabs={false}
      head={
        <>
          <div class="qr-band on-stars">
            <Headline text={t("head.scan")} lines={1} most={64} />
          </div>
          <Code how={how} wifi={wifi} />
        </>
      }
      dock={
        host ? (
          <div class="two">
            <HostAct wifi={wifi} toAll={how?.wifi === "all"} />
            <Act text={t("done")} class="chosen" onTap={closeSheet} />
          </div>
        ) : (
          <Act text={t("done")} class="wide-act chosen" onTap={closeSheet} />
        )
      }
    >
      {offersWifi && (
        <Act text={t(wifi ? "qr.table_code" : "qr.wifi_code")} onTap={() => turn(!turned)} />
      )}
      <div class="starters grid gap-8">
        {chairs.value.map((chair, index) => (
          <span key={index} class="starter">
            <MonsterTile monster={chair.monster} size={48} out={chair.holder === null} />
            <b>{chair.player}</b>
            <small class={chair.holder === null ? "muted" : "go"}>
              {t(chair.holder === null ? "qr.waiting" : "qr.in")}
            </small>
          </span>
        ))}
      </div>
      {how !== null && <OtherAddresses of={how} host={host} />}
      {late > 0 && (
        <Note sign="warning" tone="doubt">
          <p>{t("qr.late", { count: late })}</p>
        </Note>
      )}
      {nobody && late === 0 && (
        <Note sign="clock" tone="doubt">
          <p role="status">{t("qr.nobody")}</p>
        </Note>
      )}
      <p class="panel small">
        <b>{t("qr.trouble")}</b> <span class="muted">{t("qr.wifi")}</span>
      </p>
      <p class="muted small centred">{t("qr.window")}</p>
    </Screen>
  );
}

function Code({ how, wifi }: { how: Join | null; wifi: boolean }) {
  if (how === null) return <p>{t("qr.none")}</p>;
  if (wifi) return <WifiCode toAll={how.wifi === "all"} />;
  return how.open ? <TableCode how={how} /> : <p>{t("qr.closed")}</p>;
}

function HostAct({ wifi, toAll }: { readonly wifi: boolean; readonly toAll: boolean }) {
  return wifi ? (
    <Act text={t(toAll ? "qr.wifi_only_me" : "qr.wifi_all")} onTap={() => void showWifi(!toAll)} />
  ) : (
    <Act text={t("qr.new")} onTap={() => void changeCode(true)} />
  );
}

function TableCode({ how }: { readonly how: Join }) {
  return (
    <>
      <img
        class="qr"
        src={qrOf(how)}
        alt={t("qr.alt", { address: how.address })}
        width={240}
        height={240}
      />
      <p class="centred muted">{t("qr.type")}</p>
      <p class="centred address">{how.address}</p>
      <CodeCells code={how.code} />
    </>
  );
}

function WifiCode({ toAll }: { readonly toAll: boolean }) {
  return (
    <>
      <img class="qr" src="/api/wifi.svg" alt={t("qr.wifi_alt")} width={240} height={240} />
      <p class="centred">{t("qr.wifi_scan")}</p>
      {!toAll && <p class="centred muted">{t("qr.wifi_host")}</p>}
    </>
  );
}

function boxOf(lobby: Lobby): Product | undefined {
  return lobby.boxes.find((box) => box.game === lobby.game);
}

export function LobbyScreen() {
  const lobby = setting.lobby.value;
  if (!lobby) return null;
  if (you.value.role !== "host") return <LobbyWaiting lobby={lobby} />;
  return setting.step.value === "start" ? <WhoStarts lobby={lobby} /> : <NewGame lobby={lobby} />;
}

function NewGame({ lobby }: { readonly lobby: Lobby }) {
  const box = boxOf(lobby);
  const few = lobby.seats.length < (box?.players_min ?? 2);
  const nameless = lobby.seats.some((seat) => seat.player.trim() === "");
  const editions = box?.editions ?? [];
  return (
    <Screen
      name="new-game"
      status={t("lobby.host")}
      tabs={false}
      head={<TitleHead text={t("title")} />}
      dock={
        few || nameless ? (
          <Primary
            text={t(few ? "lobby.too_few" : "lobby.nameless", {
              count: (box?.players_min ?? 2) - lobby.seats.length,
            })}
          />
        ) : (
          <Primary text={t("lobby.next")} onTap={() => setting.goToStep("start")} />
        )
      }
    >
      <TakeUpAgain />
      <fieldset>
        <legend class="row-between">
          <b>{t("lobby.box")}</b>
          <span class="muted">{t("lobby.step", { step: 1 })}</span>
        </legend>
        <div class="two">
          {lobby.boxes.map((one) => (
            <Act
              key={one.game}
              class={one.game === lobby.game ? "box-card chosen" : "box-card"}
              answer={one.game}
              pressed={one.game === lobby.game}
              onTap={() =>
                setting.setTable({ game: one.game, edition: one.editions[0] ?? "first", house: [] })
              }
            >
              {one.game === lobby.game && <Corner />}
              <b>{t(`game.${one.game}`)}</b>
              <span class="box-faces flex gap-6">
                {one.faces.slice(3).map((face) => (
                  <IdSign key={face} id={face} size={24} meaning={false} />
                ))}
                <IdSign id="heal" size={24} meaning={false} />
              </span>
            </Act>
          ))}
        </div>
        {editions.length > 1 && (
          <Segment
            label={t("lobby.edition")}
            options={editions}
            chosen={lobby.edition}
            words={(one) => t(`edition.${one}`)}
            onTap={(edition) => setting.setTable({ edition })}
          />
        )}
      </fieldset>
      <fieldset>
        <legend class="row-between">
          <b>{t("lobby.seats")}</b>
          <span class="muted">
            {t("lobby.count", { count: lobby.seats.length, most: box?.players_max ?? 6 })}
          </span>
        </legend>
        {lobby.seats.map((seat, index) => (
          <button
            key={index}
            type="button"
            class="seat-row"
            data-answer={index}
            onClick={() => openSheet({ kind: "seat", index })}
          >
            <b class="num muted">{index + 1}</b>
            <MonsterTile monster={seat.monster} size={44} />
            <span class="seat-words">
              <b>{seat.player.trim() === "" ? t("seat.unnamed") : seat.player}</b>
              <span class="muted">
                {t(`monster.${seat.monster}`)}
                {seat.phones === 0 && <> · {t("seat.no_phone")}</>}
              </span>
            </span>
            <Sign name="phone" size={24} class={seat.phones > 0 ? "go" : "muted"} />
            <Sign name="more" size={24} class="muted" />
          </button>
        ))}
        {lobby.seats.length === 0 && <p class="muted">{t("lobby.nobody")}</p>}
        <div class="two">
          <Act
            answer="add"
            class="add-seat"
            disabled={lobby.seats.length >= (box?.players_max ?? 6)}
            onTap={() => addSeat(lobby)}
          >
            <Sign name="plus" size={22} /> {t("lobby.add")}
          </Act>
          <Act sign="qr" size={22} text={t("lobby.qr")} onTap={() => openSheet({ kind: "qr" })} />
          {(few || nameless) && (
            <Act class="wide demo-try" onTap={() => void layDemoDice(true)}>
              <Sign name="dice" size={22} /> {t("demo.try")}
            </Act>
          )}
          {people.value.persons.length > 1 && (
            <Act class="wide" onTap={() => openSheet({ kind: "people" })}>
              <Sign name="people" size={22} /> {t("people.head")}
            </Act>
          )}
        </div>
      </fieldset>
      <TrayStrip onTap={openSetup} />
      <HouseRules lobby={lobby} known={box?.house ?? []} />
      <Act class="games" onTap={() => void openGames()}>
        <Sign name="log" size={22} /> {t("more.games")}
      </Act>
      <p class="muted small centred">{t("lobby.unsaved")}</p>
    </Screen>
  );
}

/** The game whose start was undone a moment ago. */
function TakeUpAgain() {
  const act = view.value?.redo ?? null;
  if (act === null) return null;
  return (
    <Act class="chosen" onTap={() => redo(act.seq)}>
      <Sign name="redo" size={22} /> {t("redo.named", { act: say(act.words) })}
    </Act>
  );
}

function HouseRules({ lobby, known }: { lobby: Lobby; known: readonly string[] }) {
  if (known.length === 0) return null;
  return (
    <fieldset>
      <legend>
        <b>{t("lobby.house")}</b>
      </legend>
      {known.map((rule) => {
        const on = lobby.house.includes(rule);
        const house = on ? lobby.house.filter((one) => one !== rule) : [...lobby.house, rule];
        return (
          <Switch
            key={rule}
            text={t(`house.${rule}`)}
            on={on}
            class="wide"
            onTap={() => setting.setTable({ house })}
          />
        );
      })}
    </fieldset>
  );
}

function freeMonster(lobby: Lobby): string {
  const taken = new Set(lobby.seats.map((seat) => seat.monster));
  return lobby.monsters.find((monster) => !taken.has(monster)) ?? lobby.monsters[0] ?? "";
}

function addSeat(lobby: Lobby): void {
  const seats = lobby.seats.map(({ player, monster }) => ({ player, monster }));
  const name = t("seat.default", { count: seats.length + 1 });
  setting.setTable({ seats: [...seats, { player: name, monster: freeMonster(lobby) }] });
  openSheet({ kind: "seat", index: seats.length });
}

/** A seat's name and monster, for its player and the host; moving and removing, for the host. */
export function SeatSheet({ index }: { readonly index: number }) {
  // What is being typed: a new view must not put the old name back under the fingers.
  const [typed, setTyped] = useState<string | null>(null);
  const lobby = setting.lobby.value;
  const host = you.value.role === "host";
  const seat = lobby?.seats[index];
  if (!lobby || seat === undefined) {
    return (
      <SheetFrame name="seat" label={t("seat.head", { count: index + 1 })}>
        <p>{t("sending.now")}</p>
        <Close />
      </SheetFrame>
    );
  }
  const plain = lobby.seats.map(({ player, monster }) => ({ player, monster }));
  const change = (one: Partial<SeatSetup>) =>
    setting.setTable({ seats: plain.map((old, at) => (at === index ? { ...old, ...one } : old)) });
  const move = (by: number) => {
    const next = [...plain];
    const [moved] = next.splice(index, 1);
    if (moved !== undefined) next.splice(index + by, 0, moved);
    setting.setTable({ seats: next });
    closeSheet();
  };
  return (
    <SheetFrame name="seat" label={t("seat.head", { count: index + 1 })}>
      <label class="field">
        <span class="label">{t("seat.name")}</span>
        <input
          data-first
          type="text"
          maxLength={40}
          autocomplete="off"
          value={typed ?? seat.player}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => {
            setTyped(null);
            change({ player: event.currentTarget.value });
          }}
        />
      </label>
      <KnownNames seats={plain} index={index} onChoose={change} />
      {you.value.seat === index || !host ? (
        <p class="go">{t("seat.yours")}</p>
      ) : (
        <Act
          answer="mine"
          onTap={() =>
            holderOf(index) === null
              ? void takeSeat(index)
              : openSheet({ kind: "take", seat: index })
          }
        >
          <Sign name="phone" size={22} /> {t("seat.mine")}
        </Act>
      )}
      <p class="label">{t("seat.monster")}</p>
      <div class="monsters grid gap-8">
        {lobby.monsters.map((monster) => {
          const other = lobby.seats.find((one, at) => one.monster === monster && at !== index);
          return (
            <button
              key={monster}
              type="button"
              class={`monster-pick col items-center gap-4 min-0 rounded no-fill color-text ${monster === seat.monster ? "chosen" : ""}`}
              aria-pressed={monster === seat.monster}
              disabled={other !== undefined}
              onClick={() => change({ monster })}
            >
              <MonsterTile monster={monster} size={56} out={other !== undefined} />
              <small>{t(`monster.${monster}`)}</small>
            </button>
          );
        })}
      </div>
      {host && (
        <div class="three">
          <Act text={t("seat.up")} disabled={index === 0} onTap={() => move(-1)} />
          <Act text={t("seat.down")} disabled={index === plain.length - 1} onTap={() => move(1)} />
          <Act
            onTap={() => {
              setting.setTable({ seats: plain.filter((_, at) => at !== index) });
              closeSheet();
            }}
          >
            {t("seat.remove")}
          </Act>
        </div>
      )}
      <Act text={t("done")} class="chosen" onTap={closeSheet} />
    </SheetFrame>
  );
}

/** Everybody rolls all dice once; the most Attack starts: somebody taps the monster. */
function WhoStarts({ lobby }: { readonly lobby: Lobby }) {
  const dice = boxOf(lobby)?.first_roll_dice ?? 6;
  const starter = setting.first.value;
  return (
    <Screen
      name="who-starts"
      status={t("lobby.step_named", { step: 2 })}
      tabs={false}
      head={
        <>
          <Headline
            text={starter === null ? t("head.who_starts") : t("head.starts", { seat: starter })}
            most={64}
          />
          <p>
            {starter !== null && starter === setting.last.value
              ? t("start.last", { seat: starter })
              : t("start.how", { count: dice })}
          </p>
        </>
      }
      dock={
        <div class="dock-row">
          {starter === null ? (
            <Primary text={t("start.tap")} />
          ) : (
            <Primary
              text={t("start.go")}
              onTap={() =>
                send({ key: "act.start", args: { seat: starter } }, [
                  { type: "GameStarted", first: starter },
                ])
              }
            />
          )}
          <Act class="square" onTap={() => setting.goToStep("seats")}>
            <Sign name="chevron_left" size={24} />
            <small>{t("back")}</small>
          </Act>
        </div>
      }
    >
      <p>
        <b>{t("start.most")}</b>
      </p>
      <div class="starters grid gap-8">
        {lobby.seats.map((seat, index) => (
          <button
            key={index}
            type="button"
            class={starter === index ? "starter chosen" : "starter"}
            data-answer={index}
            aria-pressed={starter === index}
            onClick={() => setting.chooseFirst(index)}
          >
            <MonsterTile monster={seat.monster} size={64} />
            <b>{seat.player}</b>
          </button>
        ))}
      </div>
      {(boxOf(lobby)?.start_places.length ?? 0) > 1 && (
        <p class="muted small">{t("start.then_places")}</p>
      )}
    </Screen>
  );
}

/** The screen of everybody but the host before the game. */
function LobbyWaiting({ lobby }: { readonly lobby: Lobby }) {
  const mine = you.value.seat;
  const seat = mine === null ? undefined : lobby.seats[mine];
  return (
    <Screen
      name="lobby"
      status={t("title")}
      head={<TitleHead text={seat === undefined ? t("title") : t("head.you_are_in")} />}
      dock={
        mine === null ? (
          <SitDown />
        ) : (
          <Act class="own-seat" onTap={() => openSheet({ kind: "seat", index: mine })}>
            <Sign name="paw" size={24} /> {t("lobby.own_seat")}
          </Act>
        )
      }
    >
      {people.value.host === null ? (
        <Note sign="crown">{t("error.host_from_terminal")}</Note>
      ) : (
        <p>{t("lobby.waiting")}</p>
      )}
      <p class="muted">
        {[
          t(`game.${lobby.game}`),
          t(`edition.${lobby.edition}`),
          ...lobby.house.map((rule) => t(`house.${rule}`)),
        ].join(" · ")}
      </p>
      {lobby.seats.map((one, index) => (
        <div key={index} class={index === mine ? "seat-row mine" : "seat-row"}>
          <b class="num muted">{index + 1}</b>
          <MonsterTile monster={one.monster} size={44} />
          <span class="seat-words">
            <b>{one.player}</b>
            <span class="muted">{t(`monster.${one.monster}`)}</span>
          </span>
          {index === mine && <span class="chip go">{t("you")}</span>}
        </div>
      ))}
    </Screen>
  );
}

const MOST = 8;

interface KnownNamesProps {
  readonly seats: readonly SeatSetup[];
  readonly index: number;
  readonly onChoose: (seat: Partial<SeatSetup>) => void;
}

function KnownNames({ seats, index, onChoose }: KnownNamesProps) {
  useEffect(() => void fetchNames(), []);
  const here = new Set(seats.map((one) => one.player.toLowerCase()));
  const free = knownNames.value.filter(({ name }) => !here.has(name.toLowerCase())).slice(0, MOST);
  if (free.length === 0) return null;
  /** The Monster of the last time comes along where no other seat has it. */
  const seatOf = ({ name, monster }: KnownName): Partial<SeatSetup> =>
    seats.some((one, at) => at !== index && one.monster === monster)
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
