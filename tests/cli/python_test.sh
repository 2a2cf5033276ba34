# The Python binding: its wheel is built against what is installed, and used.
. "$SOURCE_DIR/tests/cli/shared.sh"
python=/usr/bin/python3
$python -c 'import cffi, setuptools, wheel, venv' 2>/dev/null ||
        { echo "skipped: python3-cffi, python3-setuptools, python3-wheel or python3-venv is not there"; exit 77; }
if grep -qE '^PAWL_(SANITIZE|TSAN|COVERAGE):BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
        echo "skipped: Python is not built as this library is"
        exit 77
fi

it "the wheel is built against an installed library, and does what the binding promises"
cmake --install "$BUILD_DIR" --prefix "$PWD/installed" >out
export PKG_CONFIG_PATH=$(dirname "$(find "$PWD/installed" -name pawl.pc)")
export LD_LIBRARY_PATH=$(dirname "$(find "$PWD/installed" -name 'libpawl.so' -o -name libpawl.a | head -n 1)")
cp -r "$SOURCE_DIR/bindings/python" source
$python -m pip wheel --quiet --no-index --no-build-isolation --no-deps -w wheels ./source >out 2>&1 || { cat out; exit 1; }
$python -m venv --system-site-packages environment
environment/bin/pip install --quiet --no-index --no-deps wheels/pawl-*.whl
mkdir cases
(cd cases && ../environment/bin/python "$SOURCE_DIR/tests/bindings/binding.py") >out 2>&1 || { tail -n 40 out; exit 1; }

it "the LangGraph saver keeps and gives what its interface says"
mkdir saver
(cd saver && ../environment/bin/python "$SOURCE_DIR/tests/bindings/langgraph.py") >out 2>&1 || { tail -n 40 out; exit 1; }

it "the example runner goes on where it was"
mkdir runner && cd runner
same "$(../environment/bin/python "$SOURCE_DIR/examples/python/runner.py" r1)" "r1 is completed"
same "$(../environment/bin/python "$SOURCE_DIR/examples/python/runner.py" r1)" "r1 is completed"
same "$(pawl runs --json | jq -r '.runs[0].status')" completed
runs 0 eventlog replay --check
