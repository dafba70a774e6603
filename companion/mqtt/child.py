"""The broker's process: it alone speaks MQTT. It may be killed at any moment; the table goes on.

It keeps the newest content of each topic, and publishes all of them at each connection, whenever
Home Assistant starts, and where the broker says that the table is gone. The service imports nothing
from here.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Final

import msgspec
import paho.mqtt.client as paho
from paho.mqtt.reasoncodes import ReasonCode

from companion.mqtt.bounds import bound_process
from companion.mqtt.client import new_client, still_sending
from companion.mqtt.messages import (
    LONGEST_HEARD,
    OFFLINE,
    ONLINE,
    Begin,
    Clear,
    Cleared,
    FromChild,
    Heard,
    Keep,
    LinkState,
    Send,
    ToChild,
)

BEHIND: Final = 10
"""The niceness: a tap is answered first."""
MOST_MEMORY: Final = 192 * 1024 * 1024
"""Bytes of data; a broker that sends endless messages ends this process, not the table's, which
starts another."""
KEEP_ALIVE_S: Final = 30
IN_FLIGHT: Final = 16
"""Messages that the network has not taken yet; further ones wait, the newest of each topic."""
MOST_SENDS: Final = 64
"""Messages that wait to be sent once; the oldest are dropped."""
MOST_CONFIRMED: Final = 1024
"""Numbers of messages that wait to be looked at."""
HEARD_BURST: Final = 8
HEARD_PER_S: Final = 2.0
BIRTHS_APART_S: Final = 5.0
"""The least time between two such answers."""
LOOK_S: Final = 0.5
LAST_S: Final = 1.0
"""For the last message before the end."""
_FROM_SERVICE: Final[msgspec.msgpack.Decoder[ToChild]] = msgspec.msgpack.Decoder(ToChild)


class Bucket:
    """How many messages are passed on: `burst` at once, then `per_s`."""

    def __init__(self, burst: int, per_s: float) -> None:
        self._burst, self._per_s = burst, per_s
        self._left, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """Return whether one more may pass."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Child:
    """One connection to the broker, and what the service wants to be retained there."""

    def __init__(self, service: Connection, begin: Begin) -> None:
        self._service, self._begin = service, begin
        self._sending = threading.Lock()
        self._lock = threading.RLock()
        self._kept: dict[str, bytes] = {}
        self._waiting: dict[str, None] = {}
        """Topics to publish, in this order."""
        self._in_flight: list[paho.MQTTMessageInfo] = []
        self._connected = False
        self._buckets = {topic: Bucket(HEARD_BURST, HEARD_PER_S) for topic in begin.hear}
        self._sends: deque[Send] = deque(maxlen=MOST_SENDS)
        self._clearing: dict[int, str] = {}
        """The topic of each message that deletes; only for the thread of `run`."""
        self._confirmed: deque[int] = deque(maxlen=MOST_CONFIRMED)
        """Messages that are out, or that the broker has confirmed."""
        self._born_at = -BIRTHS_APART_S
        self._born = False
        self._client = self._make_client()

    def _make_client(self) -> paho.Client:
        begin = self._begin
        client = new_client(
            begin.client, begin.user, begin.password, tls=begin.tls, ca_file=begin.ca_file
        )
        client.will_set(begin.status, OFFLINE, qos=1, retain=True)
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_publish = self._on_publish
        return client

    def run(self) -> None:
        """Keep what the service sends, until it hangs up: then EOFError."""
        self._client.connect_async(self._begin.host, self._begin.port, KEEP_ALIVE_S)
        self._client.loop_start()
        while True:
            if self._service.poll(LOOK_S):
                message = _FROM_SERVICE.decode(self._service.recv_bytes())
                if isinstance(message, Keep):
                    self._keep(message)
                elif isinstance(message, Send):
                    self._send(message)
                elif isinstance(message, Clear):
                    self._clear(message)
            self._report_cleared()
            self._answer_birth()

    def close(self) -> None:
        """Say that the table is gone, and disconnect."""
        with self._lock:
            connected, self._connected = self._connected, False
        if connected:
            last = self._client.publish(self._begin.status, OFFLINE, retain=True)
            with suppress(RuntimeError, ValueError):
                last.wait_for_publish(LAST_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _keep(self, message: Keep) -> None:
        with self._lock:
            self._kept[message.topic] = message.payload
            self._waiting[message.topic] = None
            if self._begin.status in self._waiting:
                del self._waiting[self._begin.status]
                self._waiting[self._begin.status] = None
        self._publish()

    def _send(self, message: Send) -> None:
        with self._lock:
            if not self._connected:
                return
            self._sends.append(message)
        self._publish()

    def _clear(self, message: Clear) -> None:
        """Delete what the broker retains; until it confirms that, the client sends it again at each
        connection. Not under the lock: paho confirms under one that publishing needs.
        """
        sent = self._client.publish(message.topic, qos=1, retain=True)
        self._clearing[sent.mid] = message.topic

    def _report_cleared(self) -> None:
        while self._confirmed:
            topic = self._clearing.pop(self._confirmed.popleft(), None)
            if topic is not None:
                self._report(Cleared(topic))

    def _publish(self) -> None:
        """Publish what waits, as far as the network takes it; the status comes last."""
        with self._lock:
            self._in_flight = still_sending(self._in_flight)
            while self._connected and self._sends and len(self._in_flight) < IN_FLIGHT:
                one = self._sends.popleft()
                self._in_flight.append(self._client.publish(one.topic, one.payload))
            while self._connected and self._waiting and len(self._in_flight) < IN_FLIGHT:
                topic = next(iter(self._waiting))
                del self._waiting[topic]
                payload = ONLINE if topic == self._begin.status else self._kept[topic]
                self._in_flight.append(self._client.publish(topic, payload, retain=True))

    def _publish_all(self) -> None:
        with self._lock:
            self._waiting = dict.fromkeys((*self._kept, self._begin.status))
        self._publish()

    def _answer_birth(self) -> None:
        """Publish everything again where Home Assistant has started, or another than this process
        has changed the status.
        """
        with self._lock:
            due = self._born and time.monotonic() - self._born_at >= BIRTHS_APART_S
            if due:
                self._born, self._born_at = False, time.monotonic()
        if due:
            self._publish_all()

    def _report(self, message: FromChild) -> None:
        with self._sending, suppress(OSError):
            self._service.send_bytes(msgspec.msgpack.encode(message))

    # -- called by paho, on its own thread ------------------------------------------------------

    def _on_connect(self, _: object, __: object, ___: object, code: ReasonCode, *____: Any) -> None:
        if code.is_failure:
            self._report(LinkState(connected=False, reason=str(code)))
            return
        topics = [*self._begin.hear, *filter(None, (self._begin.birth,)), self._begin.status]
        self._client.subscribe([(topic, 0) for topic in topics])
        with self._lock:
            self._connected, self._in_flight = True, []
            self._sends.clear()
        self._publish_all()
        self._report(LinkState(connected=True))

    def _on_connect_fail(self, *_: Any) -> None:
        self._report(LinkState(connected=False, reason=str(sys.exception() or "")))

    def _on_disconnect(
        self, _: object, __: object, ___: object, code: ReasonCode, *____: Any
    ) -> None:
        with self._lock:
            self._connected = False
        if code.is_failure:
            self._report(LinkState(connected=False, reason=str(code)))

    def _on_message(self, _: object, __: object, message: paho.MQTTMessage) -> None:
        is_birth = message.topic == self._begin.birth and message.payload == ONLINE
        # The last will of a connection from before a power cut, or of a table that had this name.
        is_gone = message.topic == self._begin.status and message.payload != ONLINE
        if is_birth or (is_gone and not message.retain):
            with self._lock:
                self._born = True
            self._answer_birth()
        elif (
            message.topic in self._begin.hear
            and not message.retain
            and len(message.payload) <= LONGEST_HEARD
            and self._buckets[message.topic].take()
        ):
            self._report(Heard(message.topic, bytes(message.payload)))

    def _on_publish(self, _: object, __: object, number: int, *___: Any) -> None:
        self._confirmed.append(number)
        self._publish()


def main(service: Connection) -> None:
    """Connect as the first message says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bound_process(MOST_MEMORY)
    with suppress(OSError):
        os.nice(BEHIND)
    begin = _FROM_SERVICE.decode(service.recv_bytes())
    assert isinstance(begin, Begin)
    child = Child(service, begin)
    with suppress(EOFError, OSError):
        child.run()
    child.close()


if __name__ == "__main__":
    with Connection(int(sys.argv[1])) as line, suppress(EOFError):
        main(line)
