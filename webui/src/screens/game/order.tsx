/** The order of groups: arrows move a group. */
import { useEffect } from "preact/hooks";
import { Sign } from "../../art";
import { closeSheet } from "../../store/phone/route";
import { game, seatOf, view } from "../../store/table/table";
import { chooseOrder } from "../../store/turn/acts";
import { draftOrder, moved, orderDraft } from "../../store/turn/order";
import { fetchPreview, keyOf, latestPreview, previewOf } from "../../store/turn/preview";
import { throwOf } from "../../store/turn/throw";
import { acting, chosenOrder, setOrder } from "../../store/turn/turn";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { Act, IdSign, Primary } from "../../ui/parts/kit";
import { Shadow } from "../../ui/parts/picture";
import type { Face, Question } from "../../wire";

/** Faces to be ordered: of the dice on the screen, or of the groups in the question. */
function groups(sensibleNow: readonly Face[]): {
  faces: readonly Face[];
  counts: ReadonlyMap<Face, number>;
} {
  const question = game.value?.question;
  const dice =
    question?.kind === "roll"
      ? throwOf(question).faces
      : question?.kind === "choice"
        ? (game.value?.last_roll ?? [])
        : [];
  const counts = new Map<Face, number>();
  for (const face of dice) counts.set(face, (counts.get(face) ?? 0) + 1);
  const asked =
    question?.kind === "choice"
      ? question.options.map((option) => option.face).filter((face): face is Face => face !== null)
      : null;
  const sensible = asked ?? sensibleNow;
  const faces = [...sensible, ...counts.keys()].filter(
    (face, at, all) =>
      all.indexOf(face) === at && (asked === null ? counts.has(face) : asked.includes(face)),
  );
  return { faces, counts };
}

/** The service's suggested order for the dice on the screen. */
function useSensible(question: Question | null): readonly Face[] {
  const rev = view.value?.rev ?? 0;
  const one = question?.kind === "roll" ? throwOf(question) : null;
  const asked = { faces: one?.faces ?? [], rethrown: one?.rethrown ?? [], order: [] };
  const wanted = asked.faces.length > 0;
  useEffect(() => {
    if (wanted) void fetchPreview(asked, rev);
  }, [keyOf(asked, rev)]);
  return (
    previewOf(asked, rev)?.order ?? latestPreview.value?.answer.order ?? game.value?.order ?? []
  );
}

interface OrderProps {
  /** The question, where the order is asked for; otherwise the order is kept for Apply. */
  readonly question?: Question;
}

export function OrderScreen({ question }: OrderProps) {
  const { faces: sensible, counts } = groups(useSensible(game.value?.question ?? null));
  const of = `${view.value?.table ?? ""}:${game.value?.question?.id ?? ""}:${[...sensible].sort().join()}`;
  const chosen = chosenOrder.value?.length === sensible.length ? chosenOrder.value : sensible;
  const order = orderDraft.value?.of === of ? orderDraft.value.order : chosen;
  const seat = seatOf(acting.value);
  const move = (index: number, by: number) => draftOrder({ of, order: moved(order, index, by) });
  const go = () => {
    draftOrder(null);
    if (question !== undefined) chooseOrder(acting.value ?? 0, order);
    else {
      setOrder(order);
      closeSheet();
    }
  };
  return (
    <Screen
      name="order"
      status={t("status.order", { turn: game.value?.turn ?? 0 })}
      tabs={question !== undefined}
      head={
        <>
          {seat !== null && <Shadow monster={seat.monster} />}
          <Headline text={t("head.order")} room={240} most={54} />
          <p class="beside-shadow">{t("order.how")}</p>
        </>
      }
      dock={<Primary text={t("order.go")} onTap={go} />}
    >
      <p class="label">{t("order.first")}</p>
      <ol class="order-list">
        {order.map((face, index) => (
          <li key={face} class="order-row">
            <IdSign id={face} size={34} />
            <b class="num">{counts.get(face) ?? ""}</b>
            <span class="order-name">{t(`face.${face}`)}</span>
            <Act
              label={t("order.up", { face })}
              class="arrow-key"
              disabled={index === 0}
              onTap={() => move(index, -1)}
            >
              <Sign name="chevron_up" size={24} />
            </Act>
            <Act
              label={t("order.down", { face })}
              class="arrow-key"
              disabled={index === order.length - 1}
              onTap={() => move(index, 1)}
            >
              <Sign name="chevron_down" size={24} />
            </Act>
          </li>
        ))}
      </ol>
      <p class="label">{t("order.last")}</p>
      <Act
        onTap={() => {
          draftOrder({ of, order: sensible });
          setOrder(null);
        }}
      >
        <Sign name="undo" size={22} /> {t("order.sensible")}
      </Act>
      {question === undefined && (
        <Act class="plain" onTap={closeSheet}>
          {t("close")}
        </Act>
      )}
    </Screen>
  );
}
