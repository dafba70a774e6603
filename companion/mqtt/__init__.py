"""MQTT: tables at a broker for Home Assistant, and a page that shows all of them. Imported only if
it is switched on.
"""
