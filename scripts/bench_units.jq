# How the tables of scripts/bench write a figure.

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

def verdict: if .target == null or .ratio == null then "" elif .ratio <= .target then "yes" else "no" end;
