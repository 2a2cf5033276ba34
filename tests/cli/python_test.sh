# The Python binding: its wheel is built against what is installed, and used.
. "$SOURCE_DIR/tests/cli/shared.sh"
. "$SOURCE_DIR/tests/support/bindings.sh"
bindings_fit Python || { echo "skipped: $why_not"; exit 77; }

it "the wheel is built against an installed library, and does what the binding promises"
install_library
build_python
mkdir cases
(cd cases && ../environment/bin/python "$SOURCE_DIR/tests/bindings/binding.py") >out 2>&1 || { tail -n 40 out; exit 1; }

it "claims, options, values and handles are as the binding promises"
mkdir promises
(cd promises && ../environment/bin/python "$SOURCE_DIR/tests/bindings/promises.py") >out 2>&1 || { tail -n 40 out; exit 1; }

it "the LangGraph saver keeps and gives what its interface says"
mkdir saver
(cd saver && ../environment/bin/python "$SOURCE_DIR/tests/bindings/langgraph.py") >out 2>&1 || { tail -n 40 out; exit 1; }

it "the example runner goes on where it was"
mkdir runner && cd runner
same "$(../environment/bin/python "$SOURCE_DIR/examples/python/runner.py" r1)" "r1 is completed"
same "$(../environment/bin/python "$SOURCE_DIR/examples/python/runner.py" r1)" "r1 is completed"
same "$(pawl runs --json | jq -r '.runs[0].status')" completed

it "it ends a run whose last session died before it could"
cat >dies.py <<'END'
import os, runpy, sys
import pawl
pawl.Pipeline.end_run = lambda *_: os._exit(9)
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
END
code=0
../environment/bin/python dies.py "$SOURCE_DIR/examples/python/runner.py" r2 || code=$?
same "$code" 9
same "$(pawl runs --json | jq -r '.runs[0].status')" interrupted
same "$(../environment/bin/python "$SOURCE_DIR/examples/python/runner.py" r2)" "r2 is completed"
same "$(pawl runs --json | jq -r '.runs[0].status')" completed
runs 0 eventlog replay --check
