# What checkpoints, going back and comparing cost: what SQLite does and the files that are opened, at two sizes. Figures
# that do not depend on time.
. "$SOURCE_DIR/tests/cli/shared.sh"
case $(stat -f -c %T .) in
ext2/ext3 | xfs | btrfs | f2fs) ;;
*)      # elsewhere files that changed lately are read again
        echo "skipped: the temporary files are on $(stat -f -c %T .), where a scan trusts no file that changed lately"
        exit 77
        ;;
esac
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export HOME=$PWD/home
mkdir home

# counts COMMAND...: steps, bytes, statements and opened, of SQLite and the file system.
counts() {
        LD_PRELOAD=$BUILD_DIR/tests/count_sqlite.so SQLITE_WORK=$HOME/work "$@" >"$HOME/out" 2>"$HOME/err" </dev/null
        read -r steps bytes statements opened <"$HOME/work"
}
# at_most WHAT N LIMIT
at_most() {
        [ "$2" -le "$3" ] || { echo "$1: $2, more than $3"; return 1; }
}
# lay DIR N: so many files in four directories, old enough to be trusted.
lay() {
        mkdir -p "$1"/{a,b,c,d}
        (cd "$1" && for i in $(seq "$2"); do
                case $((i % 4)) in 0) d=a ;; 1) d=b ;; 2) d=c ;; 3) d=d ;; esac
                echo "$i" >"$d/$i"
        done && touch -d '1 hour ago' a/* b/* c/* d/* && sync -f . && own_log && runs 0 pawl checkpoint all && rm out err)
}
# change K WORD: so many files have it, and are on disk: few are read again to be sure of them, by the tick of the clock.
change() {
        local files=()
        for i in $(seq "$1"); do
                case $((i % 4)) in 0) d=a ;; 1) d=b ;; 2) d=c ;; 3) d=d ;; esac
                echo "$i $2" >"$d/$i"
                files+=("$d/$i")
        done
        touch -d '1 hour ago' "${files[@]}"
        sync "${files[@]}"
}
lay few 200
lay many 2000

# costs COMMAND...: in each tree with four and with forty files changed; in $cost_TREE_K_FIGURE.
costs() {
        local tree k
        for tree in few many; do
                for k in 4 40; do
                        cd $tree
                        change $k "$*"
                        counts "$@"
                        eval "steps_${tree}_$k=$steps bytes_${tree}_$k=$bytes statements_${tree}_$k=$statements opened_${tree}_$k=$opened"
                        runs 0 pawl checkpoint next && rm out err
                        cd ..
                done
        done
        # ten times as many files that did not change cost nothing but the rows of their directories
        at_most "$*: statements among ten times as many" "$statements_many_4" $((statements_few_4 * 11 / 10 + 20))
        at_most "$*: files opened among ten times as many" "$opened_many_4" $((opened_few_4 + 20))
        at_most "$*: steps among ten times as many" "$steps_many_4" $((steps_few_4 * 12 / 10 + 500))
        # ten times as many that did: so many times what one of them costs
        at_most "$*: statements for ten times as many changed" "$statements_many_40" $((statements_many_4 + 36 * ${per_file_statements:-12}))
        at_most "$*: files opened for ten times as many changed" "$opened_many_40" $((opened_many_4 + 36 * ${per_file_opened:-2} + 20))
}

it "a checkpoint opens each changed file once"
per_file_opened=1 costs pawl checkpoint
it "a diff with the workspace"
per_file_opened=2 costs pawl diff
it "a diff of two checkpoints opens no file"
per_file_opened=0 costs pawl diff 1 2

it "the end of an agent's turn is one scan, and reads nothing where nothing changed"
call() {
        jq -nc --arg cwd "$PWD" --arg event "$1" '{session_id:"s",cwd:$cwd,hook_event_name:$event,tool_name:"Bash",tool_use_id:"t",last_assistant_message:"done"}' >"$HOME/call"
}
hook_counts() {
        LD_PRELOAD=$BUILD_DIR/tests/count_sqlite.so SQLITE_WORK=$HOME/work pawl hook --agent claude <"$HOME/call" >"$HOME/out" 2>"$HOME/err"
        read -r steps bytes statements opened <"$HOME/work"
}
for tree in few many; do
        cd $tree
        call PreToolUse
        pawl hook --agent claude <"$HOME/call" >/dev/null
        call Stop
        hook_counts
        eval "nothing_$tree=$opened"
        counts pawl diff
        at_most "the end of a turn without a change in $tree: opened, beside a diff" "$((nothing_$tree))" $((opened + 30))
        change 40 turn
        hook_counts
        at_most "the end of a turn with 40 changes in $tree: opened" "$opened" $((nothing_$tree + 40 + 30))
        cd ..
done
at_most "the end of a turn without a change: opened among ten times as many" "$nothing_many" $((nothing_few + 30))

it "going back opens what it puts back, and the directories that it is in"
for tree in few many; do
        for k in 4 40; do
                cd $tree
                change $k "back and forth $k"
                runs 0 pawl checkpoint before && rm out err
                counts pawl rollback current --yes
                nothing=$opened
                n=$(pawl show current --json | jq .n)
                counts pawl rollback $((n - 1)) --yes
                eval "steps_${tree}_$k=$steps statements_${tree}_$k=$statements opened_${tree}_$k=$((opened - nothing))"
                counts pawl undo --yes
                eval "undo_${tree}_$k=$statements"
                cd ..
        done
done
at_most "rollback: statements among ten times as many" "$statements_many_4" $((statements_few_4 * 12 / 10 + 40))
at_most "rollback: opened among ten times as many" "$opened_many_4" $((opened_few_4 + 40))
at_most "rollback: statements for ten times as many" "$statements_many_40" $((statements_many_4 * 10))
at_most "rollback: opened for ten times as many" "$opened_many_40" $((opened_many_4 + 80 * 8))
at_most "undo: statements for ten times as many" "$undo_many_40" $((undo_many_4 * 10))

it "a list of checkpoints grows with what it lists"
mkdir list
cd list
own_log
for i in $(seq 120); do
        echo "$i" >f$((i % 7))
        pawl checkpoint "$i" >/dev/null
        [ "$i" != 30 ] || { counts pawl checkpoints && few="$steps $statements $bytes" && counts pawl checkpoints -n 5 && page=$statements; }
done
counts pawl checkpoints
read -r few_steps few_statements few_bytes <<<"$few"
at_most "statements of four times as many checkpoints" "$statements" $((few_statements * 5))
at_most "steps of four times as many checkpoints" "$steps" $((few_steps * 5))
at_most "bytes of four times as many checkpoints" "$bytes" $((few_bytes * 5))
counts pawl checkpoints -n 5
at_most "statements of five checkpoints of four times as many" "$statements" $((page * 2))
