# Needs PAWL_WITH_ARCHIVE.
# Every pair of the commands of the workspace, at the same time on one log: each ends with a documented code and, where
# it is refused, one line that says why; nobody reports damage that is not there, and what a checkpoint that was not
# pruned holds can be read afterwards. PAWL_TEST_FULL=1: many rounds of each.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
rounds=1
[ -z "${PAWL_TEST_FULL:-}" ] || rounds=40
commands=(checkpoint rollback undo prune validate rebuild import pin export diff show checkpoints du)
mkdir home work
cd work
printf '*.out\n*.err\n' >.gitignore
pawl init >/dev/null
for i in 1 2 3 4 5; do
        mkdir -p "d$i"
        seq "$i" "$((i * 400))" >"d$i/lines"
        head -c 20000 /dev/urandom >"d$i/bytes"
        pawl checkpoint "number $i" >/dev/null
done
pawl export 1 2 -o ../some.tar.zst >/dev/null

# number: two, three and five are the second, third and fifth newest checkpoint that was not pruned.
number() {
        read -r two three five < <(pawl checkpoints --json |
                jq -r '[.[] | select(.pruned | not) | .n] | "\(.[-2] // .[0]) \(.[-3] // .[0]) \(.[-5] // .[0])"')
}

# act COMMAND SIDE: what is raced. Only the first side of a pair writes files by itself.
act() {
        local n
        case $1 in
        checkpoint)
                [ "$2" = b ] || head -c 3000 /dev/urandom >"d$((RANDOM % 5 + 1))/bytes"
                pawl checkpoint "by $2" ;;
        rollback) pawl rollback "$three" --yes ;;
        undo) pawl undo ;;
        prune) pawl prune checkpoints --keep 4 ;;
        validate) pawl validate ;;
        rebuild) pawl rebuild "$two" ;;
        export) pawl export "$three" -o "../of-$2.tar.zst" ;;
        import) pawl import ../some.tar.zst ;;
        diff) pawl diff "$three" "$two" ;;
        show) pawl show "$three" ;;
        checkpoints) pawl checkpoints ;;
        pin) pawl pin "$five" && pawl pin "$five" --off ;;
        du) pawl du ;;
        esac
}

# side COMMAND SIDE: one of the two; its code and what it said are kept.
side() {
        local code=0
        act "$1" "$2" >"../$2.out" 2>"../$2.err" </dev/null || code=$?
        echo $code >"../$2.code"
}

# ended COMMAND SIDE: done, refused in one line, or busy; 5 is damage, and there is none.
ended() {
        case $(cat "../$2.code") in
        0) ;;
        1 | 6)
                [ "$(wc -l <"../$2.err")" -eq 1 ] || { echo "$1: not one line"; cat "../$2.err"; return 1; }
                says '^pawl: [^;]+: [^;]+; .' "../$2.err" ;;
        *)
                echo "$1 beside the other ended with $(cat "../$2.code")"
                cat "../$2.err"
                return 1 ;;
        esac
}

# race A B: both at once.
race() {
        number
        side "$1" a &
        local pid=$!
        side "$2" b
        wait $pid
        ended "$1" a
        ended "$2" b
        case " $1 $2 " in *" rollback "* | *" undo "*) settle ;; esac
}

# settle: a rollback that met other files than it had planned for is finished, once what is in its way is moved, as it
# says; or given up.
settle() {
        local i
        for i in 1 2 3; do
                pawl checkpoint 'between' >../between.out 2>&1 && return 0
                pawl rollback --finish >../between.out 2>&1 && continue
                pawl undo >../between.out 2>&1 && continue
                sed -n 's/^pawl: \(.* ends it: \)*\(.*\): was changed by somebody else.*/\2/p' ../between.out | xargs -r rm -f
        done
        cat ../between.out
        return 1
}

# renew: other bytes in all files, a checkpoint of them, and what came before goes.
renew() {
        for i in $(seq $((rounds * 5 + 3))); do
                for file in d*/bytes many/*; do
                        head -c 20000 /dev/urandom >"$file"
                done
                pawl checkpoint "round $i" >/dev/null
                pawl prune checkpoints --keep 1 >/dev/null
        done
}

it "validate, again and again, while contents come and go"
mkdir many
touch many/{1..40}
renew &
renewing=$!
while kill -0 $renewing 2>/dev/null; do
        runs 0 pawl validate
done
wait $renewing
same "$(events CheckpointInvalidated)" 0
rm -r many
pawl checkpoint 'without them' >/dev/null

for ((round = 0; round < rounds; round++)); do
        for ((i = 0; i < ${#commands[@]}; i++)); do
                for ((j = i; j < ${#commands[@]}; j++)); do
                        [ $i -lt 8 ] || break # those that only read, beside each other
                        it "${commands[i]} beside ${commands[j]}"
                        race "${commands[i]}" "${commands[j]}"
                done
                same "$(events CheckpointInvalidated)" 0
        done
        it "all that was not pruned is whole, and the tables are what the log says"
        runs 0 pawl validate
        runs 0 eventlog replay --check
        runs 0 eventlog verify
done
