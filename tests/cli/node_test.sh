# The Node binding: its binary is built against what is installed, and used.
. "$SOURCE_DIR/tests/cli/shared.sh"
. "$SOURCE_DIR/tests/support/bindings.sh"
bindings_fit Node || { echo "skipped: $why_not"; exit 77; }

it "the binary is built against an installed library, and does what the binding promises"
install_library
build_node
mkdir cases
(cd cases && PAWL_MODULE=../node_modules/pawl node --test-reporter=tap "$SOURCE_DIR/tests/bindings/binding.mjs") >out 2>&1 ||
        { tail -n 60 out; exit 1; }
says '^# fail 0$' out

it "claims, options, values, handles and modules are as the binding promises"
mkdir promises
(cd promises && PAWL_MODULE=../node_modules/pawl node --test-reporter=tap "$SOURCE_DIR/tests/bindings/promises.mjs") >out 2>&1 ||
        { tail -n 60 out; exit 1; }
says '^# fail 0$' out

it "the LangGraph saver keeps and gives what its interface says"
mkdir saver
(cd saver && PAWL_MODULE=../node_modules/pawl node --test-reporter=tap "$SOURCE_DIR/tests/bindings/langgraph.mjs") >out 2>&1 ||
        { tail -n 60 out; exit 1; }
says '^# fail 0$' out

it "the example runner asks, and goes on where it was"
cp "$SOURCE_DIR/examples/node/runner.mjs" .
write_mission
code=0
echo | node runner.mjs mission.yaml >out 2>err || code=$?
same "$code" 3
run=$(pawl runs --json | jq -r '.runs[0].run_id')
echo 1 | node runner.mjs mission.yaml "$run" >out 2>err
says "^run $run: completed\$" out

it "it continues a run that died in its last step, and says completed when it is"
cat >dies.mjs <<'END'
import { Log, Mission } from "pawl";
const last = ({ stage, number, of }) => { if (stage === "running" && number === of) process.kill(process.pid, "SIGKILL"); };
await (await Mission.load("mission.yaml")).run(await Log.open(".pawl/events.db"), { runId: "dies", clarify: () => 1, progress: last });
END
code=0
node dies.mjs || code=$?
same "$code" 137
same "$(pawl runs --json | jq -r '.runs[0].status')" interrupted
node runner.mjs mission.yaml dies >out
says '^run dies: completed$' out
same "$(pawl runs --json | jq -r '.runs[0].status')" completed
runs 0 eventlog replay --check
