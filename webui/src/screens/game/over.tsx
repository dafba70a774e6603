/** Game over: who won, and everybody's last numbers. */
import { Sign } from "../../art";
import { go } from "../../store/phone/route";
import { openExport } from "../../store/records/exports";
import { leaveScore, setUpAgain } from "../../store/table/games";
import { game, view, you } from "../../store/table/table";
import { t } from "../../store/words";
import { Screen } from "../../ui/frame/screen";
import { Final, FinalHead, hasPoster } from "../../ui/parts/final";
import { Act, Primary } from "../../ui/parts/kit";
import type { GameView } from "../../wire";
import { StoryBrief } from "../story/brief";

export function OverScreen() {
  const now = game.value;
  const table = view.value?.table ?? "";
  if (now?.ended == null) return null;
  return (
    <Screen
      name="game-over"
      news={false}
      poster={hasPoster(now)}
      status={t("status.turn", { turn: now.turn })}
      head={<FinalHead now={now} />}
      dock={
        you.value.role === "host" ? (
          <Primary text={t("over.again")} onTap={() => setUpAgain(now)} />
        ) : (
          <Act text={t("over.log")} class="wide-act" onTap={() => go("log")} />
        )
      }
    >
      <Final now={now} />
      {table !== "" && <StoryBrief id={table} now={now} />}
      {you.value.role !== "spectator" && view.value !== null && (
        <Act onTap={() => void openExport(view.value?.table ?? "", true)}>
          <Sign name="arrow_down" size={22} /> {t("export.open")}
        </Act>
      )}
    </Screen>
  );
}

/** The score of the previous game, while the next is being set up elsewhere; somebody closes it. */
export function ScoreScreen({ now }: { readonly now: GameView }) {
  return (
    <Screen
      name="game-over"
      poster={hasPoster(now)}
      tabs={false}
      status={t("status.turn", { turn: now.turn })}
      head={<FinalHead now={now} />}
      dock={<Primary text={t("over.next")} note={t("over.next_how")} onTap={leaveScore} />}
    >
      <Final now={now} />
    </Screen>
  );
}
