# The Node binding: its binary is built against what is installed, and used.
. "$SOURCE_DIR/tests/cli/shared.sh"
if ! command -v node >/dev/null || ! find /usr/include /usr/local/include -name node_api.h 2>/dev/null | grep -q .; then
        echo "skipped: node or libnode-dev is not there"
        exit 77
fi
if grep -qE '^PAWL_(SANITIZE|TSAN|COVERAGE):BOOL=ON' "$BUILD_DIR/CMakeCache.txt"; then
        echo "skipped: Node is not built as this library is"
        exit 77
fi

it "the binary is built against an installed library, and does what the binding promises"
cmake --install "$BUILD_DIR" --prefix "$PWD/installed" >out
export PKG_CONFIG_PATH=$(dirname "$(find "$PWD/installed" -name pawl.pc)")
export LD_LIBRARY_PATH=$(dirname "$(find "$PWD/installed" -name 'libpawl.so' -o -name libpawl.a | head -n 1)")
mkdir -p node_modules
cp -r "$SOURCE_DIR/bindings/node" node_modules/pawl
rm -rf node_modules/pawl/prebuilds
node_modules/pawl/prebuild
mkdir cases
(cd cases && PAWL_MODULE=../node_modules/pawl node --test-reporter=tap "$SOURCE_DIR/tests/bindings/binding.mjs") >out 2>&1 ||
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
runs 0 eventlog replay --check
