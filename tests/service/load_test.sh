# A service at work, and what befalls it: what it acknowledged is in the log.
. "$SOURCE_DIR/tests/cli/shared.sh"
{
        echo terms:
        for n in $(seq 48); do
                printf '  - { surface: thing%d, definition: One meaning of thing %d. }\n' "$n" "$n"
                printf '  - { surface: thing%d, definition: Quite another meaning of it. }\n' "$n"
        done
} >team.yaml
cat >mission.yaml <<END
mission: load
glossary:
  team_domain: team.yaml
steps:
  - id: specify
    critical: true
    inputs:
      description: $(for n in $(seq 48); do printf 'The thing%d is here. ' "$n"; done)
    run: [cat]
END
runs 3 pawl run mission.yaml --no-input

it "a loaded service keeps what it acknowledged"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/load.py"
