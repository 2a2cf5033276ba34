# The table of scripts/bench, from build/bench/results.json.

include "bench_units";

def spread($unit): "\(.median | amount($unit)) (\(.p10 | amount($unit)) – \(.p90 | amount($unit)))";

(.machine | "\(.date), \(.cores) cores, \(.cpu), Linux \(.kernel), \(.files), \(.compiler), SQLite \(.sqlite), at \(.commit)", ""),
"| | what | median (p10 – p90) | beside | median (p10 – p90) | ratio (p10 – p90) | at most | met | n |",
"| --- | --- | ---: | --- | ---: | ---: | ---: | --- | ---: |",
(.rows[] | . as $row
        | "| \(.bench) | \(.what) | \(.figure | spread($row.unit)) | \(.beside // "")"
        + " | \(if .yardstick then .yardstick | spread($row.unit) else "" end)"
        + " | \(if .ratio then "\(.ratio | digits) (\(.ratio_p10 | digits) – \(.ratio_p90 | digits))" else "" end)"
        + " | \(if .target then .target | digits else "" end) | \(verdict) | \(.n) |")
