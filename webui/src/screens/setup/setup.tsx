/** The set-up of camera and dice: one of its steps, or the boxes that are kept. */
import "../../styles/setup.css";
import { useEffect } from "preact/hooks";
import { setup, watchSetup } from "../../store/table/setup";
import { t } from "../../store/words";
import { Headline, Screen } from "../../ui/frame/screen";
import { BoxesScreen } from "./boxes";
import { FacesScreen } from "./faces";
import { Leave } from "./parts";
import { PlaceScreen } from "./place";
import { ResultScreen, TestScreen } from "./result";

export function SetupScreen() {
  useEffect(watchSetup, []);
  const now = setup.value;
  if (now === null || !now.running) return <BoxesScreen now={now} />;
  const { seen } = now;
  if (seen === null) {
    return (
      <Screen
        name="camera-opening"
        status={t("setup.step", { step: 1 })}
        tabs={false}
        head={<Headline text={t("setup.opening")} />}
        dock={<Leave />}
      />
    );
  }
  switch (seen.stage) {
    case "place":
      return <PlaceScreen now={now} seen={seen} />;
    case "faces":
      return <FacesScreen now={now} seen={seen} />;
    case "result":
      return <ResultScreen now={now} seen={seen} />;
    case "test":
      return <TestScreen seen={seen} />;
  }
}
