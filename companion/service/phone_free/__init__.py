"""What the dice tray does without a tap, where the table has switched that on."""

from companion.service.phone_free.fuse import PhoneFree

__all__ = ["PhoneFree"]
