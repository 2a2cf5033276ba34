# The rows of bench/fleet/stale as a table: a line a scenario, a column a system.
{first: "the first worker is stopped past its lease, and ends the step before the other",
 last: "the same, and it ends the step after the other ended the run",
 alive: "the first worker is alive; its step takes longer than the lease, and another worker starts"} as $scenarios |
def cell: "\(.executions) executions of the step, \(.recorded | map(select(startswith("slow")) | split(" ")[1]) | join(", ")) recorded"
        + if .said == "" then "" else "; the first is told \"\(.said | sub("run [0-9a-f-]{36}"; "run …") | sub(" on two.*|, since.*"; ""))\"" end;
(map(.system) | unique) as $systems |
"| | \($systems | join(" | ")) |", "| --- |\($systems | map(" --- |") | add)",
(["first", "last", "alive"][] as $s |
 "| \($scenarios[$s]) | \([$systems[] as $y | map(select(.system == $y and .scenario == $s)) | first | cell] | join(" | ")) |")
