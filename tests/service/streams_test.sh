# Event streams: each event once and in order, whoever reads and however.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
runs 3 pawl run mission.yaml --run held --no-input
{
        echo "mission: many"
        echo "workspace: { checkpoint: manual }"
        echo "steps:"
        for n in $(seq 25); do
                printf '  - { id: s%s, run: ["true"] }\n' "$n"
        done
} >many.yaml

it "streams show each event once and in order"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/streams.py"
