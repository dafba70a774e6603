"""What commands do with a broker; `companion.mqtt` is imported only if it is switched on."""
