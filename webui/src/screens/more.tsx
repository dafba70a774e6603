/** More: this phone's settings, what all see and the host changes, televisions, joining, leaving. */
import "../styles/later.css";
import { MonsterTile, Sign, type SignName } from "../art";
import { awake, hasVoice } from "../store/aloud";
import { forgetTv } from "../store/front";
import { openGames, setUpAgain } from "../store/games";
import { host, pickSeat } from "../store/people";
import { LANGUAGES, prefs, setPrefs, TEXT_SIZES, THEMES } from "../store/prefs";
import { openStatistics } from "../store/records";
import { closeSheet, openSheet } from "../store/route";
import { changeViewers, letTvIn, openSetup, openViewers, viewers } from "../store/setup";
import { game, view, you } from "../store/table";
import { isDemo, layDemoDice, setPhoneFree } from "../store/tray";
import { sharedSeat, shareWith } from "../store/turn";
import { loadWords, monsterName, t } from "../store/words";
import { Segment, Switch } from "../ui/choices";
import { Headline, Screen } from "../ui/frame";
import { Act, Close, Fold, Heading, Primary } from "../ui/kit";
import { SheetFrame } from "../ui/strips";
import type { ViewersAnswer } from "../wire";
import { PeopleList, qrOf } from "./people";

export function MoreScreen() {
  const { role, seat } = you.value;
  const box = view.value?.tray.box ?? null;
  const join = view.value?.join ?? null;
  return (
    <Screen
      name="more"
      status={
        seat === null ? t(`role.${role}`) : t("more.phone_of", { seat, role: t(`role.${role}`) })
      }
      head={
        <>
          <Headline text={t("tab.more")} lines={1} most={54} />
          {join !== null && !join.open && <p>{t("qr.closed")}</p>}
          {join?.open && (
            <div class="more-join flex gap-14">
              <img
                class="qr small"
                src={qrOf(join)}
                alt={t("qr.alt", { address: join.address })}
                width={170}
                height={170}
              />
              <div>
                {join.table && <p class="small">{t("tables.table", { name: join.table })}</p>}
                <p class="muted">{t("more.code")}</p>
                <p class="code-words num">
                  {join.code.slice(0, 3)} {join.code.slice(3)}
                </p>
                <p class="address small">{join.address}</p>
              </div>
            </div>
          )}
        </>
      }
    >
      <Heading text={t("more.this_phone")} note={t("more.only_yours")} />
      <Segment
        label={t("more.language")}
        options={LANGUAGES}
        chosen={prefs.value.language}
        words={(one) => t(`language.${one}`)}
        languages
        onTap={(language) => {
          setPrefs({ language });
          void loadWords(language);
        }}
      />
      <Segment
        label={t("more.theme")}
        options={THEMES}
        chosen={prefs.value.theme}
        words={(one) => t(`theme.${one}`)}
        onTap={(theme) => setPrefs({ theme })}
      />
      <ThisPhone />
      {join?.open && (
        <Act sign="qr" text={t("more.join")} onTap={() => openSheet({ kind: "qr" })} />
      )}
      <Act onTap={pickSeat}>
        <Sign name="people" size={24} /> {t(seat === null ? "more.sit" : "more.other_seat")}
      </Act>
      {view.value?.lobby == null && (
        <Act class="table-act" onTap={() => openSheet({ kind: "table-page" })}>
          <Sign name="house" size={24} /> {t("table_page")}
        </Act>
      )}
      {seat !== null && game.value !== null && <ShareAct />}
      {role === "host" && <HostActs box={box} />}
      <Act sign="log" text={t("more.games")} class="games" onTap={() => void openGames()} />
      <Act class="statistics" onTap={() => void openStatistics()}>
        <Sign name="crown" size={24} /> {t("statistics.open")}
      </Act>
      <PeopleList />
      <p class="muted small">{t("more.about")}</p>
    </Screen>
  );
}

function ThisPhone() {
  return (
    <>
      <div class="switches three">
        <PrefSwitch name="sound" sign="sound" text={t("cue.sound")} />
        {"vibrate" in navigator && (
          <PrefSwitch name="vibrate" sign="phone" text={t("cue.vibrate")} />
        )}
        {"speechSynthesis" in window && (
          <PrefSwitch name="voice" sign="sound" text={t("cue.voice")} />
        )}
        <PrefSwitch name="awake" sign="sun" text={t("awake")} />
        <PrefSwitch name="odds" sign="dice" text={t("odds.open")} />
      </div>
      {prefs.value.voice && hasVoice.value === false && (
        <p class="muted small">{t("voice.none")}</p>
      )}
      {awake.value === "none" && <p class="gold small awake-none">{t("awake.none")}</p>}
      <p class="label">{t("text_size.open")}</p>
      <Segment
        label={t("text_size.open")}
        options={TEXT_SIZES.map(String)}
        chosen={String(prefs.value.text)}
        words={(one) => t("text_size.percent", { size: Number(one) })}
        ticked
        onTap={(one) => setPrefs({ text: Number(one) })}
      />
    </>
  );
}

interface PrefSwitchProps {
  readonly name: "sound" | "vibrate" | "voice" | "awake" | "odds";
  readonly sign: SignName;
  readonly text: string;
}

function PrefSwitch({ name, ...look }: PrefSwitchProps) {
  const on = prefs.value[name];
  return (
    <Switch {...look} class={`${name}-switch`} on={on} onTap={() => setPrefs({ [name]: !on })} />
  );
}

function ShareAct() {
  return (
    <Act class="share-act" onTap={() => openSheet({ kind: "share" })}>
      <Sign name="phone" size={24} />
      <span>
        <b>{t("share.open")}</b>
        {sharedSeat.value !== null && (
          <small class="muted">{t("share.with", { seat: sharedSeat.value })}</small>
        )}
      </span>
    </Act>
  );
}

function HostActs({ box }: { readonly box: string | null }) {
  return (
    <>
      <Act sign="table" text={t("viewers.open")} class="tv" onTap={() => void openViewers()} />
      <Act class="camera-act" onTap={openSetup}>
        <Sign name="camera" size={24} />
        <span>
          <b>{t("setup.open")}</b>
          <small class="muted">
            {box === null ? t("setup.any_dice") : t("setup.in_use", { name: box })}
          </small>
        </span>
      </Act>
      {isDemo.value && (
        <Act class="demo-end" onTap={() => void layDemoDice(false)}>
          <Sign name="dice" size={24} /> {t("demo.end")}
        </Act>
      )}
      {game.value !== null && (
        <Act sign="dice" text={t("more.new_game")} class="new-game" onTap={leaveGame} />
      )}
    </>
  );
}

function leaveGame(): void {
  const now = game.value;
  if (now === null) return;
  if (now.ended === null) openSheet({ kind: "new-game" });
  else setUpAgain(now);
}

export function ShareSheet() {
  const free = (game.value?.seats ?? []).filter(
    (one) => one.alive && one.seat !== you.value.seat && one.phones === 0,
  );
  const choose = (seat: number | null) => {
    shareWith(seat);
    closeSheet();
  };
  return (
    <SheetFrame name="share" label={t("share.head")} tone="info">
      <p>{t(free.length === 0 ? "share.none" : "share.what")}</p>
      {free.map((one) => (
        <button
          key={one.seat}
          type="button"
          class={`seat-row boxed row gap-12 w-full text-left ${one.seat === sharedSeat.value ? "mine" : "free"}`}
          aria-pressed={one.seat === sharedSeat.value}
          onClick={() => choose(one.seat)}
        >
          <MonsterTile monster={one.monster} size={44} />
          <span class="seat-words col grow">
            <b>{one.player}</b>
            <span class="muted">{monsterName(one)}</span>
          </span>
        </button>
      ))}
      <Act text={t("share.nobody")} class="share-end" onTap={() => choose(null)} />
    </SheetFrame>
  );
}

function hostWords(): string {
  const seat = host.value?.seat ?? null;
  return seat === null ? t("table_page.host") : t("table_page.host_is", { seat });
}

export function TablePage() {
  const now = game.value;
  const house = now?.house ?? [];
  const chosen = view.value?.tray.phone_free ?? { fuse: false, tray_ends: false };
  return (
    <Screen
      name="table-page"
      status={`${t("tab.more")} · ${t("table_page")}`}
      news={false}
      head={
        <>
          <Headline text={t("table_page")} lines={1} most={54} />
          <p>{hostWords()}</p>
          {house.length > 0 && (
            <div class="tablepage-house col gap-4 rounded on-panel">
              <b>{t("table_page.house")}</b>
              {house.map((one) => (
                <span key={one}>
                  <Sign name="tick" size={18} class="sky" /> {t(`house.${one}`)}
                </span>
              ))}
            </div>
          )}
          {now !== null && (
            <p class="muted small">
              <Sign name="house" size={18} /> {t(`game.${now.game}`)} ·{" "}
              {t(`edition.${now.edition}`)}
            </p>
          )}
        </>
      }
    >
      {(["fuse", "tray_ends"] as const).map((one) => (
        <Switch
          key={one}
          sign={one === "fuse" ? "camera" : "hand"}
          text={t(`table_page.${one}`)}
          note={t(`table_page.${one}.how`)}
          class={`w-full ${one}`}
          on={chosen[one]}
          disabled={you.value.role !== "host"}
          onTap={() =>
            setPhoneFree(
              chosen.fuse !== (one === "fuse"),
              chosen.tray_ends !== (one === "tray_ends"),
            )
          }
        />
      ))}
      <p class="muted small">{t("table_page.stop")}</p>
      <Close class="plain" />
    </Screen>
  );
}

export function ViewersScreen() {
  const how = viewers.value;
  return (
    <Screen
      name="tv"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("viewers.open")} lines={1} most={54} />
          {how !== null && (
            <>
              <p class="muted">{t("viewers.type")}</p>
              <p class="address">{how.address.replace(/^https?:\/\//, "")}</p>
              <p class="muted">{t("viewers.scan")}</p>
            </>
          )}
        </>
      }
      dock={<Act text={t("done")} class="chosen wide-act" onTap={closeSheet} />}
    >
      {how !== null && <Ways how={how} />}
    </Screen>
  );
}

/** A television's code was scanned: the host lets it in. */
export function LetInScreen() {
  const isHost = you.value.role === "host";
  return (
    <Screen
      name="let-in"
      status={t("title")}
      tabs={false}
      head={
        <>
          <Headline text={t("let_in.head")} most={54} />
          <p>{t(isHost ? "let_in.what" : "let_in.host_only")}</p>
        </>
      }
      dock={
        <>
          {isHost && <Primary text={t("let_in.yes")} onTap={() => void letTvIn()} />}
          <Act text={t(isHost ? "let_in.no" : "close")} class="wide-act" onTap={forgetTv} />
        </>
      }
    />
  );
}

function Ways({ how }: { readonly how: ViewersAnswer }) {
  return (
    <>
      <Heading text={t("viewers.language")} note={t("viewers.watching", { count: how.watching })} />
      <Segment
        label={t("viewers.language")}
        options={LANGUAGES}
        chosen={how.language}
        words={(one) => t(`language.${one}`)}
        languages
        onTap={(language) => void changeViewers({ language })}
      />
      <Act onTap={() => void changeViewers({ renew: "tv" })}>
        <span>
          <b>{t("viewers.renew")}</b>
          <small class="muted">{t("viewers.renew.how")}</small>
        </span>
      </Act>
      <a class="act" href={how.tv} target="_blank" rel="noreferrer">
        {t("viewers.here")}
      </a>
      <Fold text={t("viewers.overlay")}>
        <p class="muted small">{t("viewers.overlay.how")}</p>
        <p class="address small">{how.overlay}</p>
        <Act onTap={() => void changeViewers({ renew: "overlay" })}>
          <span>
            <b>{t("viewers.new_address")}</b>
            <small class="muted">{t("viewers.new_address.how")}</small>
          </span>
        </Act>
      </Fold>
    </>
  );
}
