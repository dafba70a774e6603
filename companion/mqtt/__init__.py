"""Messages to and from a broker of the house: Home Assistant. Imported only where it is switched
on; `paho` is imported in the process `child` alone.
"""
