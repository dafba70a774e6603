"""Who has joined: their cookies, roles and seats, the way in, and the file that keeps them."""

from companion.service.people.browsers import Browsers

__all__ = ["Browsers"]
