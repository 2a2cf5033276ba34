# What no client should send, and what no program should do to a service: it stays up.
exec python3 "$SOURCE_DIR/tests/service/abuse.py"
