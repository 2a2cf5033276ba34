# A result over the Model Context Protocol has at most 100 kB: what is longer comes in pages.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >big.yaml <<'END'
mission: big
steps:
  - id: text
    run: [python3, -c, "import sys; sys.stdout.write(('x\u00e9\"' * 400000)[:1200000])"]
  - id: list
    run: [python3, -c, "import json; print(json.dumps({'rows': [{'n': n, 'name': f'row {n}'} for n in range(10000)], 'more': 'in each page'}))"]
END
printf 'mission: one\nsteps:\n  - {id: g, ask: {question: "%s?", options: ["yes", "no"]}}\n' "$(head -c 2000 /dev/zero | tr '\0' q)" >asks.yaml
printf 'mission: one\nsteps:\n  - {id: s, run: ["true"]}\n' >one.yaml
runs 0 pawl run big.yaml --run big
seq 0 59 | xargs -I{} pawl run asks.yaml --fresh --no-input --run asks-{} >/dev/null 2>&1 || true
seq 120 | xargs -P 2 -I{} pawl run one.yaml --fresh --run {}-of-a-long-name-that-fills-pages >/dev/null

it "long results come in pages that are the whole"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/mcp_pages.py"
runs 0 eventlog replay --check
