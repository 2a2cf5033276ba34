# What an agent that speaks the Model Context Protocol cannot do: answer as a person, take another's session.
. "$SOURCE_DIR/tests/cli/shared.sh"
export USER=${USER:-tester}
printf 'mission: asks\nsteps:\n  - {id: g, ask: {question: "Deploy?", options: ["yes", "no"], to: ["user:ana"]}}\n' >asks.yaml
printf 'mission: open\nsteps:\n  - {id: g, ask: {question: "Deploy?", options: ["yes", "no"]}}\n' >open.yaml
runs 0 pawl init

it "an agent acts under its own name, with what it was given"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/mcp_agent.py"
runs 0 eventlog replay --check
