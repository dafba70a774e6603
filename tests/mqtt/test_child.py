"""Messages that the broker's process has under way while the network fails."""

from __future__ import annotations

import paho.mqtt.client as paho

from companion.mqtt.client import new_client, still_sending


def test_a_message_that_the_network_refused_is_not_under_way() -> None:
    client = new_client("window", None, None, tls=False, ca_file=None)
    assert still_sending([client.publish("window/state", b"{}")]) == []


def test_a_message_that_waits_is_under_way_until_it_is_lost() -> None:
    waiting, lost = paho.MQTTMessageInfo(1), paho.MQTTMessageInfo(2)
    assert still_sending([waiting, lost]) == [waiting, lost]
    lost.rc = paho.MQTT_ERR_CONN_LOST
    assert still_sending([waiting, lost]) == [waiting]
