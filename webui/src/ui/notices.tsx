/** Notices about the log, the camera and the people, beside the toast: they cover and move nothing that is tapped. */
import { api } from "../store/api";
import * as people from "../store/people";
import { openSheet } from "../store/route";
import { show, view, you } from "../store/table";
import * as tray from "../store/tray";
import { say, t } from "../store/words";
import { Act } from "./kit";

export function NoticeStrip() {
  return (
    <>
      <LogNoticeStrip />
      <DriftStrip />
      <CameraStrip />
      <PeopleStrip />
    </>
  );
}

function PeopleStrip() {
  const one = people.notice.value;
  if (one === null) return null;
  return (
    <div class="notice" role={one.kind === "claim" ? "alert" : "status"} data-notice={one.kind}>
      <span class="toast-words">{noticeWords(one)}</span>
      <Acts one={one} />
    </div>
  );
}

/** Notices about the log: shown to everybody until the host has seen them. */
function LogNoticeStrip() {
  const one = view.value?.notices[0];
  if (one === undefined) return null;
  return (
    <div class="notice" role="status" data-notice="log">
      <span class="toast-words">{say(one.words)}</span>
      {you.value.role === "host" && (
        <Act text={t("log_notice.seen")} onTap={() => void seenByHost(one.id)} />
      )}
    </div>
  );
}

/** What the camera has noticed between rolls, with what the host can do: others see it in the tray strip. */
function DriftStrip() {
  const drift = view.value?.tray.drift ?? null;
  if (drift === null || you.value.role !== "host") return null;
  const light = drift === "light" || drift === "colour" || drift === "glare";
  const passing = drift === "flicker" || drift === "restless";
  return (
    <div class="notice" role="status" data-notice="drift">
      <span class="toast-words">{t(`tray.drift.${drift}`)}</span>
      {(light || drift === "flicker") && (
        <Act text={t("drift.adjust")} onTap={() => void api.drift({ act: "adjust" })} />
      )}
      {!light && !passing && (
        <Act
          text={t(drift === "box" ? "drift.box" : "drift.set_up")}
          // Not with the first page: it is seldom needed.
          onTap={() => void import("../store/setup").then((one) => one.openSetup())}
        />
      )}
      {!passing && <Act text={t("drift.accept")} onTap={() => void api.drift({ act: "accept" })} />}
    </div>
  );
}

/** A camera that was plugged in while the table has none. */
function CameraStrip() {
  const name = tray.foundCamera.value;
  if (name === "") return null;
  return (
    <div class="notice" role="status" data-notice="camera">
      <span class="toast-words">{t("camera.found", { name })}</span>
      <Act text={t("camera.use")} onTap={() => void tray.takeCamera()} />
      <Act class="toast-close" sign="cross" label={t("toast.close")} onTap={tray.putCameraOff} />
    </div>
  );
}

async function seenByHost(id: string): Promise<void> {
  const answer = await api.seen({ notice: id });
  if (answer.kind === "done") show(answer.value);
}

function noticeWords(one: people.Notice): string {
  switch (one.kind) {
    case "claim": {
      const asker = people.personOf(one.claim.by);
      const name = asker === null ? "" : people.personName(asker);
      return t(one.mine ? "notice.claim_mine" : "notice.claim", { name, seat: one.claim.seat });
    }
    case "kept":
      return t("notice.kept", { seat: one.seat });
    case "taken":
      return t("notice.taken");
    case "host_lost":
      return t("notice.host_lost", {
        name: people.host.value === null ? "" : people.personName(people.host.value),
        count: people.host.value?.silent_min ?? 0,
      });
    case "late":
      return t("notice.late", { count: one.count });
    case "host":
      return one.person.id === you.value.id
        ? t("notice.host_you")
        : t("notice.host", { name: people.personName(one.person) });
  }
}

function Acts({ one }: { readonly one: people.Notice }) {
  switch (one.kind) {
    case "claim":
      return (
        <>
          <Act text={t("notice.keep")} onTap={() => void people.answerClaim(one.claim, false)} />
          <Act text={t("notice.give")} onTap={() => void people.answerClaim(one.claim, true)} />
        </>
      );
    case "taken":
      return <Act text={t("notice.take_back")} onTap={() => void people.takeSeat(one.seat)} />;
    case "host_lost":
      return <Act text={t("notice.take_over")} onTap={() => openSheet({ kind: "host" })} />;
    case "late":
      return (
        <>
          <Act text={t("notice.late_what")} onTap={() => openSheet({ kind: "qr" })} />
          <Act text={t("toast.ok")} onTap={() => people.seen(one)} />
        </>
      );
    case "kept":
    case "host":
      return <Act text={t("toast.ok")} onTap={() => people.seen(one)} />;
  }
}
