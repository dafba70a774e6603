"""The forms that go to every phone, as frozen values; requests are in `requests.py`.

`webui/src/wire.ts` is generated from here (`tools/wire_types.py`), so a name is written once.
Words are keys and numbers; sentences live in `webui/locales`. The phone computes nothing.
"""

from companion.service.wire.game import (
    AreaView,
    CardView,
    Ended,
    GameView,
    Hand,
    NumberView,
    PlaceView,
    Reminder,
    SeatView,
    Shop,
    ShopCard,
    StackView,
    TokenCount,
    UnitView,
)
from companion.service.wire.lobby import Box, Lobby, SeatDraft
from companion.service.wire.log import Happened, LogNotice, LogRow, Undoable
from companion.service.wire.people import (
    Claim,
    Join,
    People,
    Person,
    Phone,
    Role,
    You,
)
from companion.service.wire.questions import (
    Also,
    ByOther,
    DieOdds,
    Fallen,
    Nameable,
    Offer,
    Option,
    Outcome,
    Question,
    QuestionKind,
)
from companion.service.wire.setup import BoxLine, SetupView
from companion.service.wire.statistics import (
    DiceStatistics,
    FaceShare,
    FeatView,
    GameCount,
    PlaceShare,
    PlaceStatistics,
    PlayerStatistics,
    StatisticsView,
)
from companion.service.wire.tray import (
    Alternative,
    Proposal,
    ProposedDie,
    Tray,
)
from companion.service.wire.update import StreamEvent, Update, View
from companion.service.wire.viewers import ViewerKind, ViewerView
from companion.service.wire.words import Cause, Wire, Words
from companion.storage.notices import Args

__all__ = [
    "Also",
    "Alternative",
    "AreaView",
    "Args",
    "Box",
    "BoxLine",
    "ByOther",
    "CardView",
    "Cause",
    "Claim",
    "DiceStatistics",
    "DieOdds",
    "Ended",
    "FaceShare",
    "Fallen",
    "FeatView",
    "GameCount",
    "GameView",
    "Hand",
    "Happened",
    "Join",
    "Lobby",
    "LogNotice",
    "LogRow",
    "Nameable",
    "NumberView",
    "Offer",
    "Option",
    "Outcome",
    "People",
    "Person",
    "Phone",
    "PlaceShare",
    "PlaceStatistics",
    "PlaceView",
    "PlayerStatistics",
    "Proposal",
    "ProposedDie",
    "Question",
    "QuestionKind",
    "Reminder",
    "Role",
    "SeatDraft",
    "SeatView",
    "SetupView",
    "Shop",
    "ShopCard",
    "StackView",
    "StatisticsView",
    "StreamEvent",
    "TokenCount",
    "Tray",
    "Undoable",
    "UnitView",
    "Update",
    "View",
    "ViewerKind",
    "ViewerView",
    "Wire",
    "Words",
    "You",
]
