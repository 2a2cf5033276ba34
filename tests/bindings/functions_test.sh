# Each function that finds, lists or parses what a log holds is in both bindings.
cd "$SOURCE_DIR"
fail=0
functions=$(grep -ohE '\bpawl_[a-z_]+_(find|handoff|head|json|latest|list|load|parse)\(' include/pawl/{checkpoint,events,mission,query,session}.h | tr -d '(' | sort -u)
[ "$(wc -w <<<"$functions")" -gt 12 ]
for function in $functions; do
        for binding in node/src python/pawl; do
                grep -qrw "$function" "bindings/$binding" || { echo "bindings/$binding: has no $function"; fail=1; }
        done
done
exit $fail
