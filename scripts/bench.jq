# The table of scripts/bench, from build/bench/results.json.

# Three digits that mean something.
def digits:
        if . == 0 then "0"
        else (if . >= 100 then 0 elif . >= 10 then 1 else 2 end) as $places
                | (. * pow(10; $places) | round) / pow(10; $places) | tostring
        end;

def scaled($units):
        . as $value | ($units | map(select(.[0] <= $value)) | last // $units[0]) as $unit
        | "\($value / $unit[0] | digits) \($unit[1])";

def amount($unit):
        if $unit == "ns" then scaled([[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]])
        elif $unit == "bytes" then scaled([[1, "B"], [1e3, "kB"], [1e6, "MB"]])
        else "\(digits) \($unit)"
        end;

def spread($unit): "\(.median | amount($unit)) (\(.p10 | amount($unit)) – \(.p90 | amount($unit)))";

def verdict: if .target == null or .ratio == null then "" elif .ratio <= .target then "yes" else "no" end;

(.machine | "\(.date), \(.cores) cores, \(.cpu), Linux \(.kernel), \(.files), \(.compiler), SQLite \(.sqlite), at \(.commit)", ""),
"| | what | median (p10 – p90) | beside | median (p10 – p90) | ratio (p10 – p90) | at most | met | n |",
"| --- | --- | ---: | --- | ---: | ---: | ---: | --- | ---: |",
(.rows[] | . as $row
        | "| \(.bench) | \(.what) | \(.figure | spread($row.unit)) | \(.beside // "")"
        + " | \(if .yardstick then .yardstick | spread($row.unit) else "" end)"
        + " | \(if .ratio then "\(.ratio | digits) (\(.ratio_p10 | digits) – \(.ratio_p90 | digits))" else "" end)"
        + " | \(if .target then .target | digits else "" end) | \(verdict) | \(.n) |")
