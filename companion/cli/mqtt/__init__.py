"""What commands do with a broker; `companion.mqtt` is imported only where it is switched on."""
