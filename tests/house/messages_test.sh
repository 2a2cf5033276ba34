# No message of the library names an option of a program that links it.
python3 "$SOURCE_DIR/tests/house/messages.py" "$SOURCE_DIR"
