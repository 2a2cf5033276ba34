# What befalls a service and its log: a full disk, another file, two at once, TLS, signals.
exec python3 "$SOURCE_DIR/tests/service/faults.py"
