/** The order of groups: arrows move a group; each says what it does there, and why the order matters. */
import "../../styles/later.css";
import { useEffect } from "preact/hooks";
import { Sign } from "../../art";
import { fetchOrder, keyOf, latestPreview, orderPreviews } from "../../store/looks";
import { closeSheet } from "../../store/route";
import { game, seatOf, view } from "../../store/table";
import { throwOf } from "../../store/tray";
import {
  acting,
  chooseOrder,
  chosenOrder,
  draftOrder,
  moved,
  orderDraft,
  setOrder,
} from "../../store/turn";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame";
import { Act, Arrows, Close, IdSign, Primary } from "../../ui/kit";
import { Shadow } from "../../ui/table";
import { ChangeChips, rowText } from "../../ui/throw";
import type { Face, Option, PreviewAnswer, PreviewRow, Question } from "../../wire";

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

/** The preview of the dice on the screen in this order, with its reasons; null until it is there, or without dice. */
function useOrder(question: Question | null, order: readonly Face[]): PreviewAnswer | null {
  const rev = view.value?.rev ?? 0;
  const one = question?.kind === "roll" ? throwOf(question) : null;
  const asked = { faces: one?.faces ?? [], rethrown: one?.rethrown ?? [], order };
  const key = keyOf(asked, rev);
  const wanted = asked.faces.length > 0;
  useEffect(() => {
    if (wanted) void fetchOrder(asked, rev);
  }, [key]);
  return wanted ? (orderPreviews.value.get(key) ?? null) : null;
}

const NO_ORDER: readonly Face[] = [];

interface OrderProps {
  /** The question, if the order is asked for; otherwise the order is kept for Apply. */
  readonly question?: Question;
}

export function OrderScreen({ question }: OrderProps) {
  const open = game.value?.question ?? null;
  const suggested = useOrder(open, NO_ORDER);
  const known = suggested?.order ?? latestPreview.value?.answer.order ?? game.value?.order ?? [];
  const { faces: sensible, counts } = groups(known);
  const of = `${view.value?.table ?? ""}:${game.value?.question?.id ?? ""}:${[...sensible].sort().join()}`;
  const chosen = chosenOrder.value?.length === sensible.length ? chosenOrder.value : sensible;
  const order = orderDraft.value?.of === of ? orderDraft.value.value : chosen;
  const own = order.join() !== sensible.join();
  const other = useOrder(open, own ? order : NO_ORDER);
  const preview = own ? other : suggested;
  const seat = seatOf(acting.value);
  const move = (index: number, by: number) => draftOrder({ of, value: moved(order, index, by) });
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
          <Reasons preview={preview} own={own} />
        </>
      }
      dock={<Primary text={t("order.go")} onTap={go} />}
    >
      <p class="label">{t("order.first")}</p>
      <ol class="plain-list col gap-8">
        {order.map((face, index) => (
          <li key={face} class="order-row boxed row gap-10">
            <IdSign id={face} size={34} />
            <b class="num text-32">{counts.get(face) ?? ""}</b>
            <span class="order-name grow bold">
              {t(`face.${face}`)}
              <Does
                row={preview?.rows.find((row) => row.face === face) ?? null}
                option={question?.options.find((option) => option.face === face) ?? null}
              />
            </span>
            <Arrows
              index={index}
              count={order.length}
              up={t("order.up", { face })}
              down={t("order.down", { face })}
              onMove={move}
            />
          </li>
        ))}
      </ol>
      <p class="label">{t("order.last")}</p>
      <Act
        onTap={() => {
          draftOrder({ of, value: sensible });
          setOrder(null);
        }}
      >
        <Sign name="undo" size={22} /> {t("order.sensible")}
      </Act>
      {question === undefined && <Close class="plain" />}
    </Screen>
  );
}

/** What the group does at its place in the order, in numbers; `option`: if it is asked for now. */
function Does({ row, option }: { row: PreviewRow | null; option: Option | null }) {
  if (row === null && option === null) return null;
  const changes = row?.changes ?? option?.consequence ?? [];
  return (
    <small class="order-does flex wrap gap-8 muted regular">
      {changes.length === 0 && row !== null ? rowText(row) : <ChangeChips changes={changes} />}
      {row?.provisional && ` (${t("order.open")})`}
    </small>
  );
}

function Reasons({ preview, own }: { preview: PreviewAnswer | null; own: boolean }) {
  if (preview === null) return null;
  const { reasons } = preview;
  return (
    <div class="order-why col gap-4 rounded on-panel text-15 pad-8-12">
      <p>
        <b>{t(own ? "order.beside" : "order.why")}</b>{" "}
        {reasons.length === 0 && t(own ? "order.no_difference" : "order.same")}
      </p>
      {reasons.map((one, index) => (
        <p key={index} class="row wrap gap-8">
          {one.first !== null && one.then !== null && (
            <span>{t("order.before", { face_1: one.first, face_2: one.then })}</span>
          )}
          <ChangeChips changes={one.changes} /> <span class="muted">{t("order.rather")}</span>
          <ChangeChips changes={one.instead} />
        </p>
      ))}
    </div>
  );
}
