"""The QR code of the table's Wi-Fi: its routes."""

from companion.service.wifi.routes import wifi

__all__ = ["wifi"]
