# Programs in TypeScript, as an ES module and as CommonJS, check with the bindings' types and LangGraph's.
. "$SOURCE_DIR/tests/cli/shared.sh"
packages=$SOURCE_DIR/build/exam/langgraph/node_modules
[ -e "$packages/typescript" ] || { echo "skipped: typescript is not there; \`scripts/exam fetch\` fetches it"; exit 77; }
command -v node >/dev/null || { echo "skipped: node is not there"; exit 77; }

it "the saver's types are the same for both kinds of modules"
cmp "$SOURCE_DIR"/bindings/node/langgraph/index.d.{mts,cts}

it "they check under module: nodenext"
mkdir -p node_modules/@pawl
ln -s "$packages"/{@langchain,@types} node_modules/
cp -r "$SOURCE_DIR/bindings/node" node_modules/pawl
cp -r "$SOURCE_DIR/bindings/node/langgraph" node_modules/@pawl/
cp "$SOURCE_DIR"/tests/langgraph/types/* .
node "$packages/typescript/bin/tsc" -p . >out 2>&1 || { cat out; exit 1; }
same "$(cat out)" ""
