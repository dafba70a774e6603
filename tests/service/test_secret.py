"""What one seat alone may know: no output names a card that only its owner has looked at (H40), or
tells what a seat has set ahead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec
import pytest
from flask import Flask

from companion.engine import Ahead
from companion.mqtt.messages import table_status
from companion.mqtt.settings import MqttFile
from companion.service.app import ROUTES
from companion.service.hub import encoded_update, viewer_view
from companion.service.settings import Limits
from companion.service.wire import Question, ViewerKind
from tests.service.phone import Json, Phone, Start, app_state_of

CARD = "jet_fighters"
SHOP = ("made_in_a_lab", "energize", "wings")
NOTHING = {"type": "OrderChosen", "seat": 0, "faces": ["one", "two", "three"]}
FACES = ["one", "one", "two", "two", "three", "three"]
ROLL = {"type": "DiceRolled", "faces": FACES, "final": True}
AHEAD = '"flee_below":'
DECK = re.compile(r'"deck":\[[^]]*\]')
OWN = re.compile(r"<(?:int:)?(\w+)>")
ENOUGH = Limits(per_s=1e6, burst=1e6)
PASS = {"type": "Chosen", "seat": 0, "option": "pass"}


class Evening:
    """Four phones at a game of Tokyo in which seat 0 has bought Made in a Lab."""

    def __init__(self, app: Flask, *, with_phone: bool = True, host: Phone | None = None) -> None:
        self.app, self.host = app, host or Phone(app)
        self.host.join()
        self.owner, self.guest, self.watching = (Phone(app).join() for _ in range(3))
        self.host.set_up("tokyo", 3)
        self.host.sit(2)
        self.guest.sit(1)
        if with_phone:
            self.owner.sit(0)
        self.others = (self.host, self.guest, self.watching)
        self.tv = Phone(app)
        tokens = app_state_of(app).view_tokens.shown()
        assert self.tv.post("/api/tv/join", {"token": tokens.tv}).status_code == 200
        for name in SHOP:
            self.host.say(shown(name))
        energy = {"seat": 0, "what": "energy", "value": 20}
        self.host.say({"type": "Corrected", "numbers": [energy]})
        self.host.say(NOTHING, ROLL)
        self.lab = self.buy("made_in_a_lab")
        self.host.say(shown("heal"))

    def buy(self, name: str) -> int:
        """Let seat 0 buy this card; return its id."""
        card = next(one.card for one in self.host.game().shop.cards if one.name == name)
        assert card is not None
        self.host.say({"type": "Chosen", "seat": 0, "option": f"buy_{card}"})
        return card

    def look(self) -> None:
        """Let seat 0 look at the next card, and name it."""
        self.host.say({"type": "PowerUsed", "seat": 0, "ref": f"card.{self.lab}/peek"})
        self.teller.say(shown(CARD))

    @property
    def teller(self) -> Phone:
        """Who answers for seat 0."""
        return self.owner if self.owner.you().seat == 0 else self.host

    def end(self) -> None:
        """End the turn, and have seat 1 win in the next one."""
        self.teller.say({"type": "Chosen", "seat": 0, "option": "end"})
        stars = {"seat": 1, "what": "stars", "value": 20}
        self.host.say({"type": "Corrected", "numbers": [stars]})
        self.host.say({**NOTHING, "seat": 1}, ROLL)
        assert self.host.game().ended is not None

    def log(self) -> str:
        """The rows of the game as a file."""
        path = f"/api/games/{self.host.view().table}/log.jsonl"
        answer = self.guest.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    # -- all outputs ---------------------------------------------------------------------------

    def outputs(self) -> Iterator[tuple[str, bytes]]:
        """Everything that phones, televisions, overlays and the broker get now, but the owner's."""
        for path in self._paths():
            for phone in self.others:
                yield path, phone.get(path).data
        for phone in self.others:
            for path, body in (
                ("/api/preview", {"faces": []}),
                ("/api/keeps", {"faces": []}),
                ("/api/forgotten", {"act": "ask"}),
            ):
                yield path, phone.post(path, body).data
            stale = phone.command(PASS, base_rev=1)
            yield "a refusal", stale.data
        newest = app_state_of(self.app).hub.newest
        for phone in self.others:
            for has_people in (False, True):
                yield "a stream", encoded_update(phone.you(), newest, has_people=has_people)
        for kind in ViewerKind:
            yield kind, msgspec.json.encode(viewer_view(kind, "en", newest.numbered))
        yield "the television's story", self.tv.get("/api/tv/story").data
        file = MqttFile(broker="mqtt://broker.lan", names=("*",))
        status = table_status(newest.numbered.view, file, "Table", "http://table.test")
        yield "MQTT", msgspec.json.encode(status)

    def _paths(self) -> Iterator[str]:
        """Every route that can be asked for, with each of its parameters."""
        view = self.host.view()
        values = {
            "row": [str(row) for row in range(max(1, view.rev - 12), view.rev + 1)],
            "game": [view.table],
            "seat": ["0", "1"],
            "what": ["health", "stars", "energy", "dice"],
            "clause": ["TK-16.26"],
            "proposal": ["none"],
            "die": ["0"],
            "box": ["none"],
            "pair": ["0" * 32],
        }
        for route in ROUTES:
            if route.method != "GET" or route.view is None or not route.path.startswith("/api/"):
                continue
            paths = [route.path]
            for name in OWN.findall(route.path):
                paths = [OWN.sub(value, path, 1) for path in paths for value in values[name]]
            yield from paths


def shown(name: str) -> Json:
    return {"type": "CardShown", "name": name}


def names_it(content: str) -> bool:
    """Whether the card is named, but for the deck, of which everybody knows what it holds."""
    return CARD in DECK.sub("", content)


def tells_ahead(content: str) -> bool:
    """Whether the content holds what a seat has set ahead."""
    return AHEAD in content


def telling(evening: Evening, tells: Callable[[str], bool] = names_it) -> list[str]:
    """Which outputs tell it."""
    found = (where for where, content in evening.outputs() if tells(content.decode("latin-1")))
    return list(dict.fromkeys(found))


def asked(phone: Phone) -> Question:
    question = phone.you().question or phone.game().question
    assert question is not None
    return question


@pytest.fixture
def evening(start: Start) -> Evening:
    return Evening(start(limits=ENOUGH))


@pytest.mark.clause("TK-16.26", "H40")
def test_only_the_owners_phone_has_the_name_and_only_while_it_is_asked(evening: Evening) -> None:
    evening.look()
    mine = asked(evening.owner)
    assert (mine.prompt.key, mine.prompt.args["card"]) == ("choice.buy_peeked.prompt", CARD)
    assert [one.key for one in mine.options if one.enabled] == ["buy", "pass"]
    for phone in evening.others:
        theirs = asked(phone)
        assert (theirs.prompt.key, theirs.secret) == ("choice.peeked.prompt", True)
        assert theirs.may_answer == (0,)
        assert [one.words.key for one in phone.view().log[-2:]] == ["did.uses", "did.looked"]
    assert evening.guest.command(PASS).status_code == 403
    hub = app_state_of(evening.app).hub
    assert CARD.encode() in encoded_update(evening.owner.you(), hub.newest, has_people=True)
    evening.owner.say(PASS)
    assert CARD.encode() not in evening.owner.get("/api/state").data


@pytest.mark.clause("TK-16.26", "H40")
def test_no_output_names_it_before_it_is_bought_or_turns_up(evening: Evening) -> None:
    evening.look()
    looked = evening.host.view().rev
    assert telling(evening) == []
    evening.owner.say(PASS)
    assert telling(evening) == []
    assert (evening.guest.get("/api/forgotten").json or {})["cannot"] is None
    evening.owner.say({"type": "Undone", "seq": looked + 1})  # it is asked again
    assert asked(evening.owner).prompt.args["card"] == CARD
    assert telling(evening) == []
    evening.owner.say({"type": "Redone", "seq": looked + 2})
    evening.end()
    assert telling(evening) == []
    rows = evening.log().splitlines()
    assert len(rows) == looked - 1
    assert not any(map(names_it, rows))


def test_once_it_turns_up_everybody_reads_the_whole_log(evening: Evening) -> None:
    evening.look()
    evening.owner.say(PASS)
    evening.buy("heal")
    evening.host.say(shown(CARD))
    rows = [one.words for one in evening.guest.view().log if one.words.key == "did.card_shown"]
    assert [one.args["card"] for one in rows[-2:]] == [CARD, CARD]
    evening.end()
    assert sum(map(names_it, evening.log().splitlines())) >= 2


def test_whoever_buys_it_is_seen_to_draw_it(evening: Evening) -> None:
    evening.look()
    evening.owner.say({"type": "Chosen", "seat": 0, "option": "buy"})
    happened = [one.words for one in evening.guest.game().happened]
    assert ("happened.draws", CARD) in [(one.key, one.args.get("card")) for one in happened]


def test_a_card_left_unnamed_is_left_on_the_deck(evening: Evening) -> None:
    evening.host.say({"type": "PowerUsed", "seat": 0, "ref": f"card.{evening.lab}/peek"})
    evening.owner.say(shown(""))
    assert asked(evening.owner).key == "buy"
    assert evening.guest.view().log[-2].words.key == "did.looked"


def test_only_the_own_phone_has_what_its_seat_set_ahead(evening: Evening) -> None:
    evening.owner.say({"type": "AheadSaid", "seat": 0, "ahead": {"flee_below": 4}})
    said = evening.host.view().rev
    assert evening.owner.you().ahead == Ahead(flee_below=4)
    assert telling(evening, tells_ahead) == []
    assert evening.guest.view().log[-1].words.key == "did.ahead.set"
    evening.look()
    evening.owner.say(PASS)
    evening.owner.say({"type": "Undone", "seq": said})
    assert evening.owner.you().ahead is None
    evening.owner.say({"type": "Redone", "seq": evening.host.view().rev})
    assert evening.owner.you().ahead == Ahead(flee_below=4)
    assert telling(evening, tells_ahead) == []
    assert telling(evening) == []
    evening.owner.say({"type": "AheadSaid", "seat": 0, "ahead": None})
    assert evening.owner.you().ahead is None
    assert evening.guest.view().log[-1].words.key == "did.ahead.none"


def test_the_host_reads_it_for_a_seat_without_a_phone(start: Start) -> None:
    evening = Evening(start(limits=ENOUGH), with_phone=False)
    evening.look()
    assert (asked(evening.host).prompt.args["card"], asked(evening.host).secret) == (CARD, True)
    for phone in (evening.guest, evening.watching):
        assert asked(phone).prompt.key == "choice.peeked.prompt"
