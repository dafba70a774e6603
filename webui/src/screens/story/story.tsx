/** The whole story of a finished game. */
import { useState } from "preact/hooks";
import { Sign, signOf } from "../../art";
import { gameOf, leaveStory, openPicture, storyOf } from "../../store/records/story";
import { names } from "../../store/table/table";
import { say, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, Spoken } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { GameView, StoryView } from "../../wire";
import { Chances, Closest, FallenRows, StoryDice, Turned } from "./brief";
import { ChanceTable } from "./chart";
import "./story.css";

export function StoryScreen({ id }: { readonly id: string }) {
  const known = storyOf(id);
  const now = gameOf(id);
  const story = known?.story ?? null;
  const ready = story !== null && now !== null;
  const missing = known?.refused ? say(known.refused) : t("story.asked");
  return (
    <Screen
      name="story"
      status={story === null ? t("title") : lengthOf(story)}
      tabs={false}
      news={false}
      head={
        <>
          <Headline text={t("story.head")} lines={1} most={54} />
          {ready ? <Turned story={story} /> : <p>{missing}</p>}
        </>
      }
      dock={
        <div class="dock-row">
          <Act text={t("back")} class="wide-act" onTap={() => leaveStory(id)} />
          <Act class="wide-act" onTap={() => void openPicture(id)}>
            <Sign name="photo" size={24} /> {t("picture.open")}
          </Act>
        </div>
      }
    >
      <Spoken text={ready ? "" : missing} />
      {ready && <Parts story={story} now={now} />}
    </Screen>
  );
}

/** The turns of the game, and how long it took where that is known. */
function lengthOf({ turns, minutes }: StoryView): string {
  const words = t("picture.turns", { count: turns });
  if (!minutes) return words;
  return `${words} · ${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
}

function Parts({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  const [table, setTable] = useState(false);
  return (
    <>
      {table ? (
        <ChanceTable story={story} seats={now.seats} />
      ) : (
        <Chances story={story} now={now} />
      )}
      {story.chance.length > 1 && (
        <Act class="story-switch" onTap={() => setTable(!table)}>
          {t(table ? "story.lines" : "story.table")}
        </Act>
      )}
      {story.measured !== null && <p class="muted small">{say(story.measured)}</p>}
      <Best story={story} now={now} />
      <FallenRows story={story} now={now} />
      <Closest story={story} />
      <LuckRows story={story} now={now} />
    </>
  );
}

function Best({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  if (story.best.length === 0) return null;
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">{t("story.best")}</h2>
      {story.best.map((one) => (
        <div key={one.seat} class="story-row dotted-below row gap-10 leading-120 tall-52">
          <MonsterTile monster={now.seats[one.seat]?.monster ?? ""} size={36} />
          <span class="col gap-2 grow break-words">
            <b>{names.player(one.seat)}</b>
            <span>{say(one.words)}</span>
          </span>
          <StoryDice faces={one.faces} size={22} />
        </div>
      ))}
    </section>
  );
}

function LuckRows({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">{t("story.luck")}</h2>
      {story.luck.map((one) => (
        <div key={one.seat ?? "all"} class="story-row dotted-below row gap-10 leading-120 tall-52">
          {one.seat === null ? (
            <Sign name="dice" size={36} />
          ) : (
            <MonsterTile monster={now.seats[one.seat]?.monster ?? ""} size={36} />
          )}
          <span class="col gap-2 grow break-words">
            <b>{one.seat === null ? t("story.luck_all") : names.player(one.seat)}</b>
            <span class="story-counts flex wrap">
              {Object.entries(one.faces).map(([face, count]) => (
                <span key={face} class="inline-row gap-4">
                  <Sign name={signOf(face, "dice")} size={18} title={t(`face.${face}`)} meaning />
                  <b>{count}</b>
                </span>
              ))}
            </span>
            <span class="muted">{say(one.words)}</span>
          </span>
        </div>
      ))}
      <p class="muted small">{t("story.counted")}</p>
    </section>
  );
}
