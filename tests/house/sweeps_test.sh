# Every function of the public headers that can fail is called where an allocation fails. The programs that
# sweep record what they called (tests/support/sweep.h); one whose record is missing or older is run.
fail=0
for source in $(cd "$SOURCE_DIR/tests" && grep -l 'sweep_next' */*_test.c); do
        name=${source%_test.c}
        program=$BUILD_DIR/tests/test_${name/\//_}
        [ -x "$program" ] || { echo "skipped: built without $source"; exit 77; }
        programs+=("$program")
done
printf '%s\n' "${programs[@]}" |
        xargs -P "$(nproc)" -I{} sh -c '[ {}.swept -nt {} ] || {} >/dev/null 2>&1 || true # its own test says why'
cat "${programs[@]/%/.swept}" >swept || exit 1
[ -s swept ] || { echo "skipped: no allocation fails in this build"; exit 77; }

# Their declarations, each on one line. This one gets a message and allocates nothing.
functions=$(cat "$SOURCE_DIR"/include/pawl/*.h | tr '\n' ' ' | grep -oE 'PAWL_EXTERN [^;(]*pawl_status +pawl_[^;(]*\(' |
        grep -oE 'pawl_[a-z0-9_]+\($' | tr -d '(' | grep -vx pawl_context_fail | sort -u)
[ "$(wc -w <<<"$functions")" -gt 60 ] || { echo "the headers were not understood"; exit 1; }
for function in $functions; do
        grep -q "^$function " swept || {
                echo "$function: no sweep calls it where an allocation fails (tests/support/sweep.h)"
                fail=1
        }
done
echo "$(wc -w <<<"$functions") functions were called; in $(grep ' failed$' swept | sort -u | wc -l) an allocation failed"
exit $fail
