# The structs that the bindings give out are whole there.
PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/bindings/fields.py" "$SOURCE_DIR"
