# Every function of the public headers refuses a NULL handle, and one that another process opened; and no NULL text
# crashes it.
BIN=$BUILD_DIR/bin
export BIN
python3 "$SOURCE_DIR/tests/house/handles.py" "$SOURCE_DIR/include/pawl" >handles.c
$CC -std=gnu11 -Wall -Wno-nonnull -Wno-unused-result -D_GNU_SOURCE handles.c $("$SOURCE_DIR/tests/support/libpawl-flags") -o handles
printf 'mission: m\nsteps: [{id: s, run: ["true"]}]\n' >mission.yaml
fail=0
for mode in null forked outside texts; do
        mkdir "$mode"
        ./handles "$mode" "$mode" >said || { cat said; fail=1; }
done
exit $fail
