/** The people, and the host's actions: hand over, sign out, change or close the code. */
import { Sign } from "../../art";
import { closeSheet, openSheet } from "../../store/phone/route";
import * as people from "../../store/table/people";
import { seatOf, view, you } from "../../store/table/table";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { SheetFrame } from "../../ui/frame/sheet";
import { Act, Close, Heading, Primary } from "../../ui/parts/kit";
import { MonsterTile } from "../../ui/parts/picture";
import type { Person } from "../../wire";
import { phoneWords } from "./seat";

/** All browsers; the host taps one. */
export function PeopleList() {
  const { persons } = people.people.value;
  const isHost = you.value.role === "host";
  return (
    <>
      <Heading
        text={t("people.head")}
        note={t("people.count", { count: persons.filter((one) => one.phone === "live").length })}
      />
      {persons.map((one) => (
        <PersonRow
          key={one.id}
          person={one}
          {...(isHost && one.id !== you.value.id
            ? { onTap: () => openSheet({ kind: "person", id: one.id }) }
            : {})}
        />
      ))}
      {isHost && <HostActs />}
    </>
  );
}

function PersonRow({ person, onTap }: { readonly person: Person; readonly onTap?: () => void }) {
  const inside = (
    <>
      <Picture person={person} size={44} />
      <span class="seat-words">
        <b>
          {person.id === you.value.id
            ? t("people.you", { name: people.personName(person) })
            : people.personName(person)}
        </b>
        <span class={person.phone === "lost" ? "gold" : "muted"}>{phoneWords(person)}</span>
      </span>
      {person.role === "host" && <Sign name="crown" size={24} class="gold" />}
      {onTap !== undefined && <Sign name="chevron_right" size={24} class="muted" />}
    </>
  );
  if (onTap === undefined) return <div class="seat-row">{inside}</div>;
  return (
    <button type="button" class="seat-row person" onClick={onTap}>
      {inside}
    </button>
  );
}

function Picture({ person, size }: { readonly person: Person; readonly size: number }) {
  const monster =
    person.seat === null
      ? undefined
      : (seatOf(person.seat)?.monster ?? view.value?.lobby?.seats[person.seat]?.monster);
  if (monster !== undefined) return <MonsterTile monster={monster} size={size} />;
  return (
    <span class="empty-spot rigid rounded-6 person-spot middle">
      <Sign name="phone" size={24} />
    </span>
  );
}

function HostActs() {
  const open = view.value?.join?.open ?? true;
  return (
    <>
      <div class="two">
        <Act text={t(open ? "qr.new" : "people.open")} onTap={() => void people.changeCode(true)} />
        <Act disabled={!open} onTap={() => void people.changeCode(false)}>
          {t(open ? "people.close" : "people.closed")}
        </Act>
      </div>
      {people.people.value.persons.length > 1 && (
        <SignOut id="" text={t("people.sign_out_all")} ask={t("people.sign_out_all_sure")} />
      )}
    </>
  );
}

/** A button with confirmation: its effect is explained after the first tap, and the second is on the same spot. */
function SignOut({ id, text, ask }: { id: string; text: string; ask: string }) {
  const asked = people.unconfirmed.value === id;
  return (
    <Act
      class={asked ? "sure" : ""}
      onTap={() => {
        if (people.confirmed(id)) void people.signOut(id === "" ? null : id);
      }}
    >
      <Sign name={asked ? "warning" : "cross"} size={22} /> {asked ? ask : text}
    </Act>
  );
}

/** One browser: make it host, or sign it out. */
export function PersonSheet({ id }: { readonly id: string }) {
  const person = people.personOf(id);
  if (person === null) {
    return (
      <SheetFrame name="person" label={t("error.nobody")}>
        <Close />
      </SheetFrame>
    );
  }
  const name = people.personName(person);
  return (
    <SheetFrame
      name="person"
      label={name}
      picture={<Picture person={person} size={88} />}
      about={<p class="muted">{phoneWords(person)}</p>}
    >
      <p>{t("people.host_may")}</p>
      {person.phone === "lost" ? (
        <Primary text={t("people.silent")} />
      ) : (
        <Primary
          text={t("people.make_host", { name })}
          onTap={() => void people.makeHost(person.id)}
        />
      )}
      <SignOut
        id={person.id}
        text={t("people.sign_out", { name })}
        ask={t("people.sign_out_sure", { name })}
      />
      <Close />
    </SheetFrame>
  );
}

/** The host is lost: a seated phone replaces it. */
export function HostSheet() {
  const chief = people.host.value;
  const name = chief === null ? "" : people.personName(chief);
  return (
    <SheetFrame name="host" label={t("host.lost_head")} tone="doubt">
      <p>{t("host.lost", { name, count: chief?.silent_min ?? 0 })}</p>
      <Primary text={t("host.be")} onTap={() => void people.makeHost(null)} />
      <Act text={t("host.wait")} onTap={closeSheet} />
    </SheetFrame>
  );
}

/** The list as a screen, where there are no tabs: before a game, on the host's phone. */
export function PeopleScreen() {
  return (
    <Screen
      name="people"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("people.head")} lines={1} most={54} />
          <p>{t("people.host_may")}</p>
        </>
      }
      dock={<Act text={t("done")} class="wide-act chosen" onTap={closeSheet} />}
    >
      <PeopleList />
    </Screen>
  );
}
