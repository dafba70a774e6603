/** Earlier games: the list, one of them, what can be kept of it; leaving one for a new one. */
import "../styles/looks.css";
import { MonsterTile, Sign } from "../art";
import { games, openGames, openPastGame, past, resumeGame, setUpAgain } from "../store/games";
import { fileOf, openExport, openStatistics, play, playQr } from "../store/records";
import { closeSheet } from "../store/route";
import { game, you } from "../store/table";
import { day, t } from "../store/words";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, Fold, Primary } from "../ui/kit";
import { Gone, SheetFrame } from "../ui/strips";
import { Final, FinalHead, hasPoster, LogRows } from "../ui/table";
import type { GameLine } from "../wire";
import { StoryActs } from "./story";

export function GamesScreen() {
  const list = games.value;
  return (
    <Screen
      name="games"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("head.games")} lines={1} most={54} />
          <p class="muted">
            {t(list === null ? "games.asked" : list.length === 0 ? "games.none" : "games.how")}
          </p>
        </>
      }
      dock={
        <div class="dock-row">
          <Close class="wide-act" />
          <Act text={t("statistics.open")} class="wide-act" onTap={() => void openStatistics()} />
        </div>
      }
    >
      {list?.map((one) => (
        <button
          key={one.id}
          type="button"
          class={`game-row boxed row gap-12 w-full text-left color-text leading-125 pad-8-12 ${one.current ? "current" : ""}`}
          onClick={() => void openPastGame(one.id)}
        >
          <MonsterTile
            monster={one.monsters[one.winners[0] ?? 0] ?? ""}
            size={44}
            out={one.ended && one.winners.length === 0}
          />
          <span class="seat-words col grow">
            <b>{one.players.map((_, seat) => nameOf(one, seat)).join(", ")}</b>
            <span class="muted">
              {t(`game.${one.game}`)} · {day(one.at)}
            </span>
            <span>{stateOf(one)}</span>
          </span>
          <Sign name="chevron_right" size={20} />
        </button>
      ))}
    </Screen>
  );
}

function stateOf(one: GameLine): string {
  if (one.ended)
    return one.winners.length === 0
      ? t("head.nobody")
      : t("games.won", { names: one.winners.map((seat) => nameOf(one, seat)).join(" + ") });
  return t(one.current ? "games.now" : "games.open");
}

/** The player's name; the seat's number if the log lost the name. */
function nameOf({ players }: GameLine, seat: number): string {
  return players[seat] || t("seat.head", { count: seat + 1 });
}

/** One game of the log, read-only. */
export function PastScreen({ id }: { readonly id: string }) {
  const one = past.value;
  const line = games.value?.find((each) => each.id === id);
  const now = one?.game ?? null;
  const may = you.value.role === "host" && one?.playable === true && line?.current === false;
  return (
    <Screen
      name="past"
      status={line === undefined ? t("title") : day(line.at)}
      tabs={false}
      poster={now !== null && hasPoster(now)}
      head={
        now === null ? (
          <Headline text={t(one === null ? "games.asked" : "games.unreadable")} most={44} />
        ) : (
          <>
            <FinalHead now={now} />
            {one?.playable === false && <p class="muted">{t("games.only_look")}</p>}
          </>
        )
      }
      dock={
        <div class="dock-row">
          {may && <Primary text={t("games.take_up")} onTap={() => void resumeGame(id)} />}
          <Act class={may ? "square" : "wide-act"} onTap={() => void openGames()}>
            <Sign name="chevron_left" size={24} />
            <small>{t("back")}</small>
          </Act>
        </div>
      }
    >
      {now !== null && <Final now={now} />}
      {now !== null && now.ended !== null && <StoryActs id={id} />}
      {now !== null && you.value.role !== "spectator" && (
        <Act onTap={() => void openExport(id, now.ended !== null)}>
          <Sign name="arrow_down" size={22} /> {t("export.open")}
        </Act>
      )}
      {now !== null && <LogRows rows={one?.rows ?? []} seats={now.seats} />}
    </Screen>
  );
}

/** The confirmation before a running game is left; it names where the game is kept. */
export function NewGameSheet() {
  const now = game.value;
  if (now === null) return <Gone />;
  return (
    <SheetFrame name="new-game" label={t("new_game.head")} tone="doubt">
      <p>{t("new_game.what")}</p>
      <Primary text={t("new_game.stay")} onTap={closeSheet} />
      <Act sign="dice" text={t("new_game.go")} onTap={() => setUpAgain(now)} />
    </SheetFrame>
  );
}

export function ExportScreen({ id, ended }: { id: string; ended: boolean }) {
  const links = play.value;
  return (
    <Screen
      name="export"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("export.head")} lines={1} most={54} />
          {links === null ? (
            <p>{t(ended ? "games.asked" : "export.only_ended")}</p>
          ) : (
            <>
              <img class="qr play-qr" src={playQr(id)} alt={t("export.qr")} />
              <p class="text-center muted">{t("export.qr_how")}</p>
            </>
          )}
        </>
      }
      dock={<Close class="wide-act" />}
    >
      {links !== null && (
        <>
          <a class="primary" href={links.link}>
            <span class="primary-words">{t("export.bgstats")}</span>
            <small>{t("export.bgstats_how")}</small>
          </a>
          <a class="act" href={links.app}>
            <Sign name="phone" size={22} /> {t("export.app")}
          </a>
        </>
      )}
      <Fold text={t("export.files")}>
        <a class="act" href={fileOf(id, "scores.csv")} download={`scores-${id}.csv`}>
          <Sign name="arrow_down" size={22} /> {t("export.scores")}
        </a>
        {ended && (
          <a class="act" href={fileOf(id, "log.jsonl")} download={`log-${id}.jsonl`}>
            <Sign name="arrow_down" size={22} /> {t("export.log")}
          </a>
        )}
      </Fold>
    </Screen>
  );
}
