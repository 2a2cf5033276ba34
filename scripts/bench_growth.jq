# The table of scripts/bench --growth, from build/bench/results.json: how each command grows, of bench_slopes.
include "bench_units";

def time: .median | amount("ns");

[.rows[] | select(.bench == "slopes")] as $rows
        | ([$rows[0].beside, $rows[1].beside, ($rows[1].what | capture(", (?<n>[0-9]+) of everything$").n)] | join(" | ")) as $sizes
        | "| CPU time of | \($sizes) | grows | asked | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
        (range(0; $rows | length; 2) | $rows[.] as $few | $rows[. + 1]
                | "| `\(.what | sub(", [0-9]+ of everything$"; ""))` | \($few.yardstick | time) | \($few.figure | time) | \(.figure | time)"
                + " | \(.ratio | digits) | \(.target | digits) | \(verdict) |")
