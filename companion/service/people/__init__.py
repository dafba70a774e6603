"""Who has joined: their cookies, roles and seats, the way in, their names and rights."""

from companion.service.people.browsers import Browsers

__all__ = ["Browsers"]
