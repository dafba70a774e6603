/** After a throw was entered: reroll some of its dice, or keep them. */
import { game, seatOf, view } from "../../store/table/table";
import { throwOf, throwOptions } from "../../store/turn/throw";
import * as entry from "../../store/turn/turn";
import { say, t } from "../../store/words";
import { AwaitedDice } from "../../ui/dice/demo";
import { PhotoButton } from "../../ui/dice/photo";
import * as roll from "../../ui/dice/throw";
import { TrayStrip } from "../../ui/dice/tray";
import { Headline, Screen, turnText } from "../../ui/frame/screen";
import { InPlaceOf, Offers } from "../../ui/frame/strips";
import { Act, Spoken } from "../../ui/parts/kit";
import { OwnStrip } from "../../ui/parts/numbers";
import { Shadow } from "../../ui/parts/picture";
import type { Face, Question } from "../../wire";

export function AgainScreen({ question }: { readonly question: Question }) {
  const seat = seatOf(entry.acting.value);
  const one = throwOf(question);
  const answer = roll.useForecast(question, one);
  const none = question.rethrow.length === 0;
  const watched = isWatched() && !entry.byHand.value;
  const words = t(howKey(question, watched), { count: question.owed });
  const missing =
    one.missing > 0 ? t(watched ? "roll.waiting" : "by_hand.more", { count: one.missing }) : null;
  const dock = { question, one, answer, blocked: missing };
  return (
    <Screen
      name="again"
      status={
        question.main
          ? t("status.left", { turn: game.value?.turn ?? 0, count: question.left })
          : turnText()
      }
      head={
        <>
          {seat !== null && <Shadow monster={seat.monster} />}
          <Headline text={t(none ? "head.rolled" : "head.again")} room={250} lines={2} most={52} />
          {!question.main && <p class="beside-shadow">{say(question.prompt)}</p>}
          <p class="beside-shadow">{words}</p>
          <roll.Forecast
            question={question}
            answer={answer}
            whole={throwOptions(question, one).apply}
          />
        </>
      }
      dock={
        <>
          {seat !== null && <OwnStrip seat={seat} />}
          <div class="dock-row tell-row">
            <Leave none={none} watched={watched} />
            <roll.TellAct {...dock} />
          </div>
          <div class="dock-row">
            <Submit {...dock} watched={watched} />
            {missing === null && question.owed === 0 && roll.orderOf(answer).length > 1 && (
              <roll.OrderAct />
            )}
          </div>
        </>
      }
    >
      <Offers />
      <InPlaceOf />
      <roll.AgainDice question={question} one={one} />
      <Spoken text={missing ?? words} />
      {!none &&
        (watched ? (
          <TrayStrip known />
        ) : (
          <roll.FaceKeys
            faces={toldFaces()}
            full={!Object.values(entry.thrown.value).includes(null)}
            onTap={entry.nameRethrown}
          />
        ))}
    </Screen>
  );
}

function Submit({ watched, ...dock }: roll.DockProps & { readonly watched: boolean }) {
  const { missing } = dock.one;
  return watched && missing > 0 ? <AwaitedDice count={missing} /> : <roll.ThrowButton {...dock} />;
}

/** The sentence under the headline: whether dice may or must be rerolled, and how to mark them. */
function howKey(question: Question, watched: boolean): string {
  if (question.rethrow.length === 0) return "again.no_more";
  if (question.owed > 0) return "again.owed";
  return watched ? "again.how" : "again.how_by_hand";
}

function isWatched(): boolean {
  const camera = view.value?.tray.camera;
  return camera === "ok" || camera === "starting";
}

function toldFaces(): Face[] {
  return Object.values(entry.thrown.value).filter((face): face is Face => face !== null);
}

/** Other ways to enter it: by hand, camera or photo; or unchanged. */
function Leave({ none, watched }: { readonly none: boolean; readonly watched: boolean }) {
  if (none) return null;
  if (watched) {
    return <Act sign="keys" text={t("roll.by_hand")} onTap={entry.countByHand} />;
  }
  if (Object.keys(entry.thrown.value).length > 0)
    return <Act text={t("again.reset")} onTap={entry.clearRethrown} />;
  if (entry.byHand.value && view.value?.tray.proposal)
    return <Act text={t("by_hand.look")} onTap={entry.watchCamera} />;
  return isWatched() ? <roll.CameraAct /> : <PhotoButton />;
}
