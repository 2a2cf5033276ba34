# Handoff, status, sessions and the page agree over 200 random histories, and with what was done. Needs PAWL_WITH_SERVICE.
. "$SOURCE_DIR/tests/cli/shared.sh"
mkdir workspace
cd workspace
it "each history is told the same way everywhere, and as it was"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/model/standing.py"
