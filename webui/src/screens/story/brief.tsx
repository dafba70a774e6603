/** The parts of the story that stand under the final score. */
import { useEffect } from "preact/hooks";
import { DieArt, Sign, signOf } from "../../art";
import { fetchStory, openPicture, openStory, storyOf } from "../../store/records/story";
import { view } from "../../store/table/table";
import { explained, say, t } from "../../store/words";
import { Act, Spoken } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Face, GameView, StoryView } from "../../wire";
import { ChanceChart } from "./chart";
import "./story.css";

/** The story of the game on the table, which has just ended: fetched again after another end. */
export function StoryBrief({ id, now }: { readonly id: string; readonly now: GameView }) {
  const rev = view.value?.rev ?? 0;
  useEffect(() => void fetchStory(id, rev), [id, rev]);
  const known = storyOf(id);
  const story = known?.story ?? null;
  if (story === null)
    return (
      <>
        <Spoken text={known?.refused ? say(known.refused) : ""} />
        <p class="muted">{known?.refused ? say(known.refused) : t("story.making")}</p>
      </>
    );
  return (
    <>
      <Chances story={story} now={now} />
      <Turned story={story} />
      <FallenRows story={story} now={now} />
      <Closest story={story} />
      <StoryActs id={id} />
    </>
  );
}

/** The ways to the whole story and to its picture. */
export function StoryActs({ id }: { readonly id: string }) {
  return (
    <div class="two story-acts">
      <Act sign="log" text={t("story.open")} onTap={() => void openStory(id)} />
      <Act sign="photo" text={t("picture.open")} onTap={() => void openPicture(id)} />
    </div>
  );
}

/** The graph, or why there is none. */
export function Chances({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  if (story.chance.length > 1) return <ChanceChart story={story} seats={now.seats} />;
  return story.problem === null ? null : <p class="muted">{say(story.problem)}</p>;
}

/** Dice as a small picture of our own. */
export function StoryDice({ faces, size }: { faces: readonly Face[]; size: number }) {
  return (
    <span class="story-dice inline-flex wrap gap-4">
      {faces.map((face, index) => (
        <DieArt key={index} face={signOf(face, "dice")} size={size} title={t(`face.${face}`)} />
      ))}
    </span>
  );
}

/** Where the game turned: the dice of that turn, and what came of them. */
export function Turned({ story }: { readonly story: StoryView }) {
  const point = story.turning_point;
  if (point === null) return null;
  return (
    <section class="story-turned boxed row gap-12 leading-125">
      <StoryDice faces={point.faces} size={34} />
      <p>
        <b>{t("story.turned", { turn: point.turn })}</b>
        {point.happened.map((one, index) => (
          <span key={index} class="story-line">
            {explained(one)}
          </span>
        ))}
      </p>
    </section>
  );
}

/** Who was eliminated when, and by what. */
export function FallenRows({ story, now }: { readonly story: StoryView; readonly now: GameView }) {
  if (story.fallen.length === 0) return null;
  return (
    <section class="story-part col">
      <h2 class="story-labels flex justify-between">
        {t("story.fallen")} <span class="muted">{t("time.turn")}</span>
      </h2>
      {story.fallen.map((one) => (
        <div key={one.seat} class="story-row dotted-below row gap-10 leading-120 tall-52">
          <MonsterTile monster={now.seats[one.seat]?.monster ?? ""} size={36} out />
          <Sign name="skull" size={20} class="muted" />
          <span class="col gap-2 grow break-words">{explained(one)}</span>
          <b>{one.turn}</b>
        </div>
      ))}
    </section>
  );
}

export function Closest({ story }: { readonly story: StoryView }) {
  if (story.closest === null) return null;
  return (
    <p class="story-closest boxed row gap-12 leading-125">
      <Sign name={signOf("heal", "dice")} size={28} /> <span>{say(story.closest)}</span>
    </p>
  );
}
