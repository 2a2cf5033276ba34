# The resource API: every path, each answer as the OpenAPI document says.
. "$SOURCE_DIR/tests/cli/shared.sh"
write_mission
echo first >notes.txt
sed '/critical/d' mission.yaml >mild.yaml
sed 's/refund-service/again/' mission.yaml >again.yaml
runs 0 pawl run mild.yaml --run done
runs 3 pawl run mission.yaml --run held --no-input
sed 's/refund-service/other/' mission.yaml >other.yaml
runs 3 pawl run other.yaml --run two --no-input
printf 'mission: fails\nsteps: [{id: one, run: [false]}]\n' >fails.yaml

printf 'mission: long\nsteps: [{id: one, run: [sleep, "60"]}, {id: two, run: ["true"]}]\n' >long.yaml
cat >asks.yaml <<'END'
mission: asks
steps:
  - {id: look, run: [echo, seen]}
  - {id: which, ask: {question: Which?, options: [this, that]}}
  - {id: take, run: [echo, taken]}
END

it "every path is answered as its document says"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/api.py"
