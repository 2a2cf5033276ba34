# The recipes of the how-tos work as written: each block of commands, and the programs that are shown below it, with nothing
# but what the page names, and without a network.
. "$SOURCE_DIR/tests/cli/shared.sh"
. "$SOURCE_DIR/tests/support/bindings.sh"

# The Nth block of a page in that language.
block() {
        awk -v start="^\`\`\`$2\$" -v n="$3" '$0 ~ start {at++; on = at == n; next} /^```$/ {on = 0} on' "$SOURCE_DIR/docs/how-to/$1.md"
}

# As where Pawl was built: the page's commands are run there. Nothing of this machine's network or environment helps.
beside_the_build() {
        mkdir -p home place
        ln -s "$BUILD_DIR" place/build
        cp -r "$SOURCE_DIR/bindings" "$SOURCE_DIR/examples" place/
        rm -rf place/bindings/node/prebuilds place/bindings/python/build
        printf 'set -eu\n%s\n' "$(block "$1" sh 1)" >recipe
        (cd place && env -u LD_LIBRARY_PATH -u PKG_CONFIG_PATH HOME="$OLDPWD/home" PATH="/usr/bin:/bin:$PATH" \
                http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 bash ../recipe) >out 2>&1 || { cat out; return 1; }
}

can=
if bindings_fit Python; then
        can=yes
        it "the recipe for Python builds and installs the binding"
        mkdir python && cd python
        beside_the_build use-from-python
        it "what it installed runs the program of the page, and the example"
        write_mission
        block use-from-python python 1 >program.py
        home/.venv/bin/python program.py
        same "$(home/.venv/bin/python -c 'import pawl; print(pawl.Log.open(".pawl/events.db").runs()[0].status)')" completed
        same "$(home/.venv/bin/python place/examples/python/runner.py r1)" "r1 is completed"
        cd ..
fi
if bindings_fit Node && command -v npm >/dev/null; then
        can=yes
        it "the recipe for Node builds and installs the binding"
        mkdir node && cd node
        beside_the_build use-from-node
        it "what it installed runs the programs of the page, and the example"
        cp place/examples/node/runner.mjs home/runner/
        cd home/runner
        write_mission
        block use-from-node ts 1 >program.mjs
        node program.mjs >out
        says 'RunCompleted$' out
        mkdir -p glossary && cp team.yaml glossary/
        { block use-from-node ts 2; echo 'async function write(terms) { return terms.map((term) => term.definition).join(); }'; } >pipeline.mjs
        rm -rf .pawl
        node pipeline.mjs
        same "$(pawl runs --json | jq -r '.runs[0].status')" completed
        echo 1 | node runner.mjs mission.yaml >out
        says 'completed$' out
        cd ../../..
fi
[ -n "$can" ] || { echo "skipped: $why_not"; exit 77; }
