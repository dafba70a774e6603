/** More: this phone's settings, joining for others, and leaving. */
import { Sign, type SignName } from "../../art";
import { awake } from "../../store/access/awake";
import { sharedSeat } from "../../store/access/shared";
import { hasVoice } from "../../store/access/voice";
import { CUES, type Cue, LANGUAGES, prefs, setPrefs, THEMES } from "../../store/phone/prefs";
import { openSheet } from "../../store/phone/route";
import { openStatistics } from "../../store/records/statistics";
import { openMisread } from "../../store/report/misread";
import { openGames, setUpAgain } from "../../store/table/games";
import { pickSeat } from "../../store/table/people";
import { openSetup } from "../../store/table/setup";
import { game, view, you } from "../../store/table/table";
import { openViewers } from "../../store/table/viewers";
import { isDemo, layDemoDice } from "../../store/turn/tray";
import { loadWords, t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { qrOf } from "../../ui/parts/addresses";
import { Segment, Switch } from "../../ui/parts/choices";
import { Act, Heading } from "../../ui/parts/kit";
import { PeopleList } from "../lobby/people";

const CUE_SIGNS: Readonly<Record<Cue, SignName>> = {
  turn: "sound",
  question: "question",
  read: "camera",
  problem: "warning",
};

export function MoreScreen() {
  const { role, seat } = you.value;
  const box = view.value?.tray.box ?? null;
  const join = view.value?.join ?? null;
  const misread = view.value?.tray.misread ?? "";
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
      <ThisPhone spectator={role === "spectator"} />
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
      {role !== "spectator" && misread !== "" && (
        <Act sign="camera" text={t("misread.last")} onTap={() => void openMisread(misread)} />
      )}
      <PeopleList />
      <p class="muted small">{t("more.about")}</p>
    </Screen>
  );
}

/** What only this phone does: sounds, voice, a screen that stays on, the size of text. */
function ThisPhone({ spectator }: { readonly spectator: boolean }) {
  return (
    <>
      <div class="switches grid gap-8">
        {CUES.filter((cue) => cue === "problem" || !spectator).map((cue) => {
          const on = !prefs.value.muted.includes(cue);
          const muted = prefs.value.muted.filter((one) => one !== cue);
          return (
            <Switch
              key={cue}
              sign={CUE_SIGNS[cue]}
              text={t(`cue.${cue}`)}
              on={on}
              onTap={() => setPrefs({ muted: on ? [...muted, cue] : muted })}
            />
          );
        })}
        {"vibrate" in navigator && (
          <Switch
            sign="phone"
            text={t("cue.vibrate")}
            on={prefs.value.vibrate}
            onTap={() => setPrefs({ vibrate: !prefs.value.vibrate })}
          />
        )}
        {"speechSynthesis" in window && (
          <Switch
            class="voice-switch"
            sign="sound"
            text={t("cue.voice")}
            on={prefs.value.voice}
            onTap={() => setPrefs({ voice: !prefs.value.voice })}
          />
        )}
        <Switch
          class="awake-switch"
          sign="sun"
          text={t("awake")}
          on={prefs.value.awake}
          onTap={() => setPrefs({ awake: !prefs.value.awake })}
        />
        <Switch
          class="odds-switch"
          sign="dice"
          text={t("odds.open")}
          on={prefs.value.odds}
          onTap={() => setPrefs({ odds: !prefs.value.odds })}
        />
      </div>
      {prefs.value.voice && hasVoice.value === false && (
        <p class="muted small">{t("voice.none")}</p>
      )}
      {awake.value === "none" && <p class="gold small awake-none">{t("awake.none")}</p>}
      <Act class="text-size-act" onTap={() => openSheet({ kind: "text-size" })}>
        {t("text_size.open")}
        <small class="muted">{t("text_size.percent", { size: prefs.value.text })}</small>
      </Act>
    </>
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

/** What the host alone may do. */
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

/** Leave the game: a running one after confirmation, a finished one at once. */
function leaveGame(): void {
  const now = game.value;
  if (now === null) return;
  if (now.ended === null) openSheet({ kind: "new-game" });
  else setUpAgain(now);
}
