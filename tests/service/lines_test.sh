# Commands whose lines come as they are printed: what is sent, to whom, and who goes or hangs meanwhile.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission

it "the lines of a command are streamed"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/lines.py"
runs 0 eventlog replay --check
