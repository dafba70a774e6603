/** Choosing a seat: free ones in one tap, others in two. */
import { Sign } from "../../art";
import { closeSheet, openSheet } from "../../store/phone/route";
import * as people from "../../store/table/people";
import { keepSeat, names, seatOf, view, you } from "../../store/table/table";
import { t } from "../../store/words";
import { Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Note, Primary } from "../../ui/parts/kit";
import { MonsterTile, Night, TitlePicture } from "../../ui/parts/picture";
import type { Person } from "../../wire";

/** The connection state of a seat's phone, in words. */
export function phoneWords(holder: Person): string {
  const words =
    holder.phone === "lost"
      ? t("phone.lost", { count: holder.silent_min })
      : t(`phone.${holder.phone}`);
  return holder.role === "host" ? t("phone.host", { words }) : words;
}

export function SeatScreen() {
  const { seat, before } = you.value;
  return (
    <Screen
      name="pick-seat"
      status={t("title")}
      tabs={view.value?.game !== null}
      head={
        <>
          <TitlePicture />
          <h1 id="headline" class="headline title-words">
            {t(before === null ? "head.seat" : "head.seat_lost")}
          </h1>
        </>
      }
      dock={
        <div class={seat === null ? "one" : "two"}>
          <Act class="wide-act" onTap={() => void people.watchOnly()}>
            {t(seat === null ? "seat.watch" : "seat.stand")}
          </Act>
          {seat !== null && <Act text={t("seat.keep")} class="wide-act" onTap={keepSeat} />}
        </div>
      }
    >
      {people.people.value.host === null && (
        <Note sign="crown">{t("error.host_from_terminal")}</Note>
      )}
      {people.chairs.value.length === 0 && <p class="muted">{t("seat.none_yet")}</p>}
      {people.chairs.value.map((chair, index) => (
        <SeatRow key={index} chair={chair} seat={index} />
      ))}
    </Screen>
  );
}

function SeatRow({ chair, seat }: { readonly chair: people.Chair; readonly seat: number }) {
  const { holder } = chair;
  const mine = you.value.seat === seat;
  const wasMine = you.value.before === seat;
  const free = holder === null || wasMine;
  const silent = holder?.phone === "lost";
  const tapped = () => {
    if (mine) keepSeat();
    else if (free) void people.takeSeat(seat);
    else openSheet({ kind: "take", seat });
  };
  return (
    <button
      type="button"
      class={`seat-row ${mine ? "mine" : free ? "free" : ""}`}
      data-answer={seat}
      onClick={tapped}
    >
      <MonsterTile monster={chair.monster} size={44} />
      <span class="seat-words">
        <b>{chair.player.trim() === "" ? t("seat.unnamed") : chair.player}</b>
        <span class={silent && !mine ? "gold" : "muted"}>{chairWords(seat, holder)}</span>
      </span>
      <Sign
        name={free ? "chevron_right" : silent ? "clock" : "phone"}
        size={24}
        class={free ? "go" : "muted"}
      />
    </button>
  );
}

function chairWords(seat: number, holder: Person | null): string {
  if (you.value.seat === seat) return t("seat.yours");
  if (you.value.before === seat) return t("seat.back");
  return holder === null ? t("seat.free") : phoneWords(holder);
}

/** A seat that somebody holds: what taking it means, and the confirmation. */
export function TakeSheet({ seat }: { readonly seat: number }) {
  const holder = people.holderOf(seat);
  const monster = monsterOf(seat);
  const lost = holder === null || holder.phone === "lost";
  const name = lost ? "take.silent_head" : "take.live_head";
  return (
    <SheetFrame
      name="take"
      label={t(name, { seat })}
      picture={<MonsterTile monster={monster} size={88} />}
      about={holder !== null && <p class="muted">{phoneWords(holder)}</p>}
    >
      <p>
        {t(lost ? "take.silent" : people.canTakeOver(seat) ? "take.as_host" : "take.live", {
          seat,
        })}
      </p>
      <Primary
        text={t(people.canTakeOver(seat) ? "take.it" : "take.ask")}
        onTap={() => void people.takeSeat(seat)}
      />
      <Act text={t("take.other")} onTap={closeSheet} />
    </SheetFrame>
  );
}

function monsterOf(seat: number): string {
  return seatOf(seat)?.monster ?? view.value?.lobby?.seats[seat]?.monster ?? "";
}

/** A requested seat: what the phone waits for, and how to withdraw. */
export function AskingScreen({ seat }: { readonly seat: number }) {
  const holder = people.holderOf(seat);
  const silent = holder !== null && holder.phone !== "live";
  const chief = people.host.value;
  const hostAnswers = chief !== null && chief.phone === "live" && chief.id !== holder?.id;
  const how = silent ? "asking.silent" : hostAnswers ? "asking.both" : "asking.holder";
  return (
    <Screen
      name="asking"
      status={t("title")}
      tabs={view.value?.game !== null}
      head={
        <>
          <Night monster={monsterOf(seat)} />
          <h1 id="headline" class="headline title-words">
            {t("head.asking", { seat })}
          </h1>
        </>
      }
      dock={
        <div class="two">
          <Act class="wide-act" onTap={() => void people.withdraw().then(people.pickSeat)}>
            {t("asking.other")}
          </Act>
          <Act class="wide-act" onTap={() => void people.withdraw().then(people.watchOnly)}>
            {t("asking.withdraw")}
          </Act>
        </div>
      }
    >
      <Note sign={silent ? "clock" : "phone"} tone={silent ? "doubt" : "info"}>
        <p>{t(how, { seat, host: chief === null ? "" : people.personName(chief) })}</p>
      </Note>
      <p class="muted">{t("asking.meanwhile", { player: names.player(seat) })}</p>
    </Screen>
  );
}
