/** The offer to remember a die that was put right: its print then belongs to the box in use. */
import { remember, remembered } from "../../store/table/setup";
import { view } from "../../store/table/table";
import { fixes } from "../../store/turn/turn";
import { t } from "../../store/words";
import { Act, IdSign } from "../../ui/parts/kit";
import type { Face, Proposal } from "../../wire";

export function RememberOffers({ proposal }: { readonly proposal: Proposal }) {
  const box = view.value?.tray.box ?? null;
  if (box === null) return null;
  return (
    <>
      {proposal.dice.map((_, index) => {
        const face = fixes.value[index];
        return face == null ? null : (
          <Offer key={index} proposal={proposal.id} die={index} face={face} box={box} />
        );
      })}
    </>
  );
}

function Offer({
  proposal,
  die,
  face,
  box,
}: {
  readonly proposal: string;
  readonly die: number;
  readonly face: Face;
  readonly box: string;
}) {
  const kept = remembered.value.includes(`${proposal} ${die} ${face}`);
  return (
    <Act class="remember" disabled={kept} onTap={() => void remember({ proposal, die, face })}>
      <IdSign id={face} size={24} />{" "}
      {kept ? t("setup.remembered", { name: box }) : t("setup.remember")}
    </Act>
  );
}
