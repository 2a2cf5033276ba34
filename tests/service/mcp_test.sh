# The Model Context Protocol over HTTP: what is answered, what is refused, and what goes on.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
sed 's/refund-service/other/' mission.yaml >other.yaml
cat >slow.yaml <<'END'
mission: slow
steps:
  - id: wait
    run: [sleep, "60"]
END

it "agents are answered over HTTP"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/mcp.py"
runs 0 eventlog replay --check
