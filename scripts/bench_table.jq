# The short table of scripts/bench --table, from build/bench/results.json: what something is asked of, as
# docs/explanation/performance.md has it.
include "bench_units";

def short($unit): .median | amount($unit);

(.machine | "\(.date), \(.cores) cores (\(.cpu)), Linux \(.kernel), \(.files), \(.compiler), SQLite \(.sqlite), at \(.commit); medians:", ""),
"| what | takes | beside | ratio | asked | | `build/bench/` |",
"| --- | ---: | --- | ---: | ---: | --- | --- |",
(.rows[] | select(.target) | . as $row
        | "| \(.what) | \(.figure | short($row.unit)) | \(.beside), \(.yardstick | short($row.unit))"
        + " | \(.ratio | digits) | \(.target | digits) | \(verdict) | `bench_\(.bench)` |")
