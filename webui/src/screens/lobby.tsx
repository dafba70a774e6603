/** Before a game: joining by code or QR, which box, who sits where, who starts. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { MonsterTile, Sign } from "../art";
import { api } from "../store/api";
import * as setting from "../store/games";
import { boxOf, openGames } from "../store/games";
import { send } from "../store/outbox";
import { chairs, changeCode, people, showWifi } from "../store/people";
import { fetchNames, knownNames } from "../store/records";
import { closeSheet, openSheet } from "../store/route";
import { openSetup } from "../store/setup";
import { join, joining } from "../store/stream";
import { view, you } from "../store/table";
import { moved, redo } from "../store/turn";
import { monsterName, say, t } from "../store/words";
import { Corner, Switch } from "../ui/choices";
import { Headline, Screen } from "../ui/frame";
import { Act, Arrows, CodeCells, IdSign, Note, Primary } from "../ui/kit";
import { SitDown } from "../ui/strips";
import { TitleHead } from "../ui/table";
import { TrayStrip } from "../ui/tray";
import type { Join, Lobby } from "../wire";
import { OtherAddresses, qrOf } from "./people";

const CODE_LENGTH = 6;

/** A field for the code; if a machine has several tables, it says which one this is. */
export function StrangerScreen() {
  // "" for the only table, and until the service has answered.
  const [table, setTable] = useState("");
  const [typed, setTyped] = useState("");
  useEffect(() => {
    void api.health().then((answer) => answer.kind === "done" && setTable(answer.value.table));
  }, []);
  const letters = typed.toUpperCase().replace(/[^0-9A-Z]/g, "");
  const enough = letters.length === CODE_LENGTH;
  const enter = () => void join({ token: null, code: letters });
  return (
    <Screen
      name="stranger"
      status={t("title")}
      tabs={false}
      head={<TitleHead text={t("head.join")} />}
      dock={
        <Primary
          text={
            joining.value
              ? t("sending.now")
              : t(enough ? "join.go" : "join.more", { count: CODE_LENGTH - letters.length })
          }
          onTap={enough && !joining.value ? enter : undefined}
        />
      }
    >
      {table !== "" && <p class="code-table num">{t("tables.table", { name: table })}</p>}
      <label class="field col gap-6 semibold">
        <span>{t("join.code")}</span>
        <input
          class="code-input num"
          type="text"
          inputMode="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          maxLength={8}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && enough && !joining.value) enter();
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

/** Address, code and QR for the next phone; if the table has a Wi-Fi, its code takes their place in a tap. */
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
      dock={<QrDock wifi={wifi} toAll={how?.wifi === "all"} />}
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
              {t(chair.holder === null ? "qr.waiting" : you.value.seat === index ? "you" : "qr.in")}
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
      <p class="muted small text-center">{t("qr.window")}</p>
    </Screen>
  );
}

function Code({ how, wifi }: { how: Join | null; wifi: boolean }) {
  if (how === null) return <p>{t("qr.none")}</p>;
  if (wifi)
    return (
      <>
        <img class="qr" src="/api/wifi.svg" alt={t("qr.wifi_alt")} width={240} height={240} />
        <p class="text-center">{t("qr.wifi_scan")}</p>
        {how.wifi !== "all" && <p class="text-center muted">{t("qr.wifi_host")}</p>}
      </>
    );
  if (!how.open) return <p>{t("qr.closed")}</p>;
  return (
    <>
      <img
        class="qr"
        src={qrOf(how)}
        alt={t("qr.alt", { address: how.address })}
        width={240}
        height={240}
      />
      <p class="text-center muted">{t("qr.type")}</p>
      <p class="text-center address">{how.address}</p>
      <CodeCells code={how.code} />
    </>
  );
}

/** What the host does about the code, and the way on: before a game to who starts. */
function QrDock({ wifi, toAll }: { readonly wifi: boolean; readonly toAll: boolean }) {
  const lobby = setting.lobby.value;
  if (you.value.role !== "host")
    return <Act text={t("done")} class="wide-act chosen" onTap={closeSheet} />;
  return (
    <>
      {lobby !== null && <Next lobby={lobby} />}
      <div class="two">
        {wifi ? (
          <Act
            text={t(toAll ? "qr.wifi_only_me" : "qr.wifi_all")}
            onTap={() => void showWifi(!toAll)}
          />
        ) : (
          <Act text={t("qr.new")} onTap={() => void changeCode(true)} />
        )}
        <Act text={t(lobby === null ? "done" : "qr.seats")} class="chosen" onTap={closeSheet} />
      </div>
    </>
  );
}

export function LobbyScreen() {
  const lobby = setting.lobby.value;
  if (!lobby) return null;
  if (you.value.role !== "host") return <LobbyWaiting lobby={lobby} />;
  return setting.step.value === "start" ? <WhoStarts lobby={lobby} /> : <NewGame lobby={lobby} />;
}

/** The way on from the seats, or what is missing. */
function Next({ lobby }: { readonly lobby: Lobby }) {
  const missing = (boxOf(lobby)?.players_min ?? 2) - lobby.seats.length;
  if (missing > 0) return <Primary text={t("lobby.too_few", { count: missing })} />;
  if (lobby.seats.some((seat) => seat.player.trim() === ""))
    return <Primary text={t("lobby.nameless")} />;
  const go = () => {
    closeSheet();
    setting.goToStep("start");
  };
  return <Primary text={t("lobby.next")} onTap={go} />;
}

/** The box; if it was printed twice, with what tells one from the other. */
function BoxChoice({ lobby }: { readonly lobby: Lobby }) {
  const editions = boxOf(lobby)?.editions ?? [];
  return (
    <fieldset>
      <legend>
        <b>{t("lobby.box")}</b>
      </legend>
      <div class="two">
        {lobby.boxes.map(({ game, editions: [newest = "first"], faces }) => (
          <BoxCard
            key={game}
            id={game}
            text={t(`game.${game}`)}
            chosen={game === lobby.game}
            onTap={() => setting.setTable({ game, edition: newest, house: [] })}
          >
            <span class="box-faces muted flex gap-6">
              {[...faces.slice(3), "heal"].map((face) => (
                <IdSign key={face} id={face} size={24} meaning={false} />
              ))}
            </span>
          </BoxCard>
        ))}
      </div>
      {editions.length > 1 && (
        <div class="two" role="group" aria-label={t("lobby.edition")}>
          {editions.map((one) => (
            <BoxCard
              key={one}
              id={one}
              text={t(`edition.${one}`)}
              chosen={one === lobby.edition}
              onTap={() => setting.setTable({ edition: one })}
            >
              <small>{t(`edition.${one}.box`)}</small>
              <small class="edition-card rounded-4 bold">{t(`edition.${one}.card`)}</small>
            </BoxCard>
          ))}
        </div>
      )}
    </fieldset>
  );
}

interface BoxCardProps {
  readonly id: string;
  readonly text: string;
  readonly chosen: boolean;
  readonly onTap: () => void;
  readonly children: ComponentChildren;
}

function BoxCard({ id, text, chosen, onTap, children }: BoxCardProps) {
  const look = chosen ? "chosen" : "";
  return (
    <Act class={`box-card col relative ${look}`} answer={id} pressed={chosen} onTap={onTap}>
      {chosen && <Corner />}
      <b>{text}</b>
      {children}
    </Act>
  );
}

function NewGame({ lobby }: { readonly lobby: Lobby }) {
  const box = boxOf(lobby);
  const most = box?.players_max ?? 6;
  const [unfolded, unfold] = useState(false);
  const names = knownNames.value;
  const folded = !unfolded && lobby.house.length === 0 && names?.length === 0;
  useEffect(() => void fetchNames(), []);
  return (
    <Screen
      name="new-game"
      status={t("lobby.host")}
      tabs={false}
      head={<TitleHead text={t("title")} />}
      dock={<Next lobby={lobby} />}
    >
      <TakeUpAgain />
      <BoxChoice lobby={lobby} />
      <fieldset>
        <legend class="row-between">
          <b>{t("lobby.seats")}</b>
          <span class="muted">{t("lobby.count", { count: lobby.seats.length, most })}</span>
        </legend>
        <Seats lobby={lobby} />
        {lobby.seats.length === 0 && <p class="muted">{t("lobby.nobody")}</p>}
        <div class="two">
          <Act
            answer="add"
            class="add-seat"
            disabled={lobby.seats.length >= most}
            onTap={() => openSheet({ kind: "seat", index: -1 })}
          >
            <Sign name="plus" size={22} /> {t("lobby.add")}
          </Act>
          <Act sign="qr" size={22} text={t("lobby.qr")} onTap={() => openSheet({ kind: "qr" })} />
          <SitDown />
          {people.value.persons.length > 1 && (
            <Act onTap={() => openSheet({ kind: "people" })}>
              <Sign name="people" size={22} /> {t("people.head")}
            </Act>
          )}
        </div>
      </fieldset>
      <TrayStrip onTap={openSetup} />
      {/* Only once it is known whether to fold it: nothing changes under a finger. */}
      {folded && (
        <Act sign="chevron_down" class="fold" text={t("lobby.fold")} onTap={() => unfold(true)} />
      )}
      {names !== null && !folded && (
        <>
          <HouseRules lobby={lobby} known={box?.house ?? []} />
          <Act class="games" onTap={() => void openGames()}>
            <Sign name="log" size={22} /> {t("more.games")}
          </Act>
        </>
      )}
      <p class="muted small text-center">{t("lobby.unsaved")}</p>
    </Screen>
  );
}

/** Rows that are dragged by a grip: `drawn` is the row at each place while a finger is down. */
function useDragging(count: number, move: (index: number, by: number) => void) {
  const list = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const placeAt = (y: number, from: number) =>
    [...(list.current?.children ?? [])]
      .filter((_, index) => index !== from)
      .map((row) => row.getBoundingClientRect())
      .filter((box) => (box.top + box.bottom) / 2 < y).length;
  const grip = (index: number) => ({
    onPointerDown: (event: PointerEvent) => {
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      setDrag({ from: index, to: index });
    },
    onPointerMove: (event: PointerEvent) =>
      drag !== null && setDrag({ ...drag, to: placeAt(event.clientY, drag.from) }),
    onPointerCancel: () => setDrag(null),
    onPointerUp: () => {
      setDrag(null);
      if (drag !== null && drag.to !== drag.from) move(drag.from, drag.to - drag.from);
    },
  });
  const rows = Array.from({ length: count }, (_, index) => index);
  const drawn = drag === null ? rows : moved(rows, drag.from, drag.to - drag.from);
  return { list, grip, drawn, dragged: drag?.from ?? null };
}

/** The seats, clockwise: a tap opens one; the host moves it by arrows, or drags it by its number. */
function Seats({ lobby }: { readonly lobby: Lobby }) {
  const { seat: mine, role } = you.value;
  const move = (index: number, by: number) =>
    setting.setTable({ seats: moved(lobby.seats, index, by) });
  const { list, grip, drawn, dragged } = useDragging(lobby.seats.length, move);
  const look = (index: number) => (index === dragged ? "dragged" : index === mine ? "mine" : "");
  return (
    <div class="col gap-10" ref={list}>
      {lobby.seats.map((seat, index) => (
        // Only its style moves a row: one that leaves the page for a moment loses the finger.
        <div
          key={seat.monster}
          class={`seat-row boxed row gap-12 w-full text-left ${look(index)}`}
          style={{ order: drawn.indexOf(index) }}
        >
          <b class="num muted text-24" {...(role === "host" ? grip(index) : {})}>
            {drawn.indexOf(index) + 1}
          </b>
          <button
            type="button"
            class="row gap-10 grow tall-52 no-border no-fill text-left color-text"
            data-answer={index}
            disabled={role !== "host" && index !== mine}
            onClick={() => openSheet({ kind: "seat", index })}
          >
            <MonsterTile monster={seat.monster} size={44} />
            <span class="seat-words col grow break-words">
              <b>{seat.player.trim() === "" ? t("seat.unnamed") : seat.player}</b>
              <span class={seat.phones > 0 ? "go" : "muted"}>
                {t(index === mine ? "you" : seat.phones > 0 ? "qr.in" : "seat.no_phone")}
                <span class="muted"> · {monsterName(seat)}</span>
              </span>
            </span>
          </button>
          {role === "host" && (
            <Arrows
              index={index}
              count={lobby.seats.length}
              up={t("seat.up", { seat: index })}
              down={t("seat.down", { seat: index })}
              onMove={move}
            />
          )}
        </div>
      ))}
    </div>
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
            class="w-full"
            onTap={() => setting.setTable({ house })}
          />
        );
      })}
    </fieldset>
  );
}

/** Everybody rolls all dice once; the most Attack starts: somebody taps the monster. */
function WhoStarts({ lobby }: { readonly lobby: Lobby }) {
  const dice = boxOf(lobby)?.first_roll_dice ?? 6;
  const starter = setting.first.value;
  return (
    <Screen
      name="who-starts"
      status={t("status.setup")}
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
      <Act
        sign="dice"
        text={t("start.pick")}
        onTap={() => setting.chooseFirst(Math.floor(Math.random() * lobby.seats.length))}
      />
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
      <Seats lobby={lobby} />
    </Screen>
  );
}
