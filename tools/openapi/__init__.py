"""The OpenAPI document of the HTTP interface: the table of routes, the types of messages."""

from tools.openapi.answers import ANSWERS, Sent
from tools.openapi.document import document, operation_path

__all__ = ["ANSWERS", "Sent", "document", "operation_path"]
