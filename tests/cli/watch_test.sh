# A live view of a run: in place on a terminal, a line a change elsewhere.
. "$SOURCE_DIR/tests/cli/shared.sh"
cat >mission.yaml <<'END'
mission: watched
steps:
  - {id: one, run: [sh, -c, "echo starting >&2; while [ ! -e go ]; do sleep 0.05; done"]}
  - {id: two, run: [sh, -c, "echo told; exit 1"]}
END
on_terminal() { # COLUMNS COMMAND: what it shows
        script -qefc "stty cols $1 rows 20; $2; echo code \$?" typescript </dev/null >/dev/null
        tr '\r' '\n' <typescript | sed 's/\x1b\[[0-9]*[A-Z]//g' >shown
}

it "elsewhere than on a terminal a run prints as it does"
touch go
runs 1 pawl run --watch mission.yaml
says '^\[1/2\] one: completed$' out
says '^starting$' err
rm go

it "on a terminal it shows each step, for how long, and what it wrote last; then what came of it"
rm -f typescript
(until_it grep -q 'one.* running .*starting' typescript && touch go) &
on_terminal 70 'pawl run --fresh --watch mission.yaml'
wait
says '^watched  running  0/2  [0-9]+ s$' shown
says '▶ one  running  [0-9]+ s  \| starting$' shown
says '✓ one  completed$' shown
says '✗ two  failed$' shown
says '^run [0-9a-f-]{36}: failed, 1 of 2 steps completed$' shown
says '^code 1$' shown
lacks '\[1/2\]' shown

it "a line is never wider than the terminal"
sed -i 's/echo starting/printf %0200d 7/' mission.yaml
on_terminal 40 'pawl run --fresh --watch mission.yaml'
grep -E '^. one' shown >lines
[ "$(awk '{ if (length > 45) print }' lines | wc -l)" -eq 0 ]

it "of a terminal that becomes narrower the lines that it broke are drawn over, too"
sed 's/: watched/: narrower/' mission.yaml >narrower.yaml
rm -f typescript go
on_terminal 70 '(until grep -q "[|] 00" typescript; do sleep 0.05; done; stty cols 40; sleep 1; touch go) </dev/tty & pawl run --watch narrower.yaml'
grep -q $'\x1b\\[3A' typescript
grep -q $'\x1b\\[4A' typescript

it "one that stops what writes to it from behind shows it all the same"
on_terminal 70 'stty tostop; pawl run --fresh --watch narrower.yaml'
says '✗ two  failed$' shown

it "nor is a line of wide characters, and a long name leaves room for what becomes of the step"
cat >wide.yaml <<'END'
mission: a-mission-of-a-name-that-fills-a-line
steps:
  - {id: a-step-of-a-name-that-fills-the-whole-line, run: [sh, -c, "until test -e go3; do sleep 0.05; done"]}
  - {id: b, run: [sh, -c, "printf 漢%.0s $(seq -s ' ' 100) >&2; until test -e go4; do sleep 0.05; done"]}
END
rm -f typescript
(until_it grep -q '▶ a-step.* running' typescript; touch go3; until_it grep -q 漢 typescript; touch go4) &
on_terminal 40 'pawl run --fresh --watch wide.yaml'
wait
says '^▶ a-step-of-a-name-tha…  running  [0-9]+ s$' shown
says '^✓ a-step-of-a-name-tha…  completed$' shown
says '^a-mission-of-a-name-…  running  [01]/2' shown
grep 漢 shown >lines
[ -s lines ]
while read -r line; do
        [ "$(grep -o 漢 <<<"$line" | wc -l)" -le 12 ]
done <lines

it "of many steps those at work are shown, wherever they stand"
{
        printf 'mission: many\nworkspace: {checkpoint: off}\nparallel: 2\nsteps:\n'
        printf '  - {id: s%d, needs: [gate], run: ["true"]}\n' $(seq 40)
        printf '  - {id: gate, needs: [], run: [sh, -c, "until test -e go5; do sleep 0.05; done"]}\n'
} >many.yaml
rm -f typescript
(until_it grep -q '▶ gate' typescript; touch go5) &
on_terminal 80 'pawl run --fresh --watch many.yaml'
wait
says '^▶ gate  running' shown
says '^  25 more$' shown

it "a run that another process is at is shown until it ends"
rm go
pawl run --fresh --run 11111111-1111-4111-8111-111111111111 mission.yaml >/dev/null 2>&1 &
until_it pawl runs --id 11111111-1111-4111-8111-111111111111
pawl runs --id 11111111-1111-4111-8111-111111111111 --watch >followed &
follower=$!
until_it grep -qx 'running  0/2  one' followed
touch go
wait "$follower"
says '^running  0/2  one$' followed
same "$(tail -n 1 followed)" "failed  1/2  two"
wait

it "of steps at work at once each says which attempt it is"
cat >two.yaml <<'END'
mission: two
parallel: 2
workspace: {checkpoint: off}
steps:
  - {id: one, needs: [], retry: {attempts: 2, delay: 50ms}, run: [sh, -c, "test -e once || { touch once; exit 1; }; until test -e go2; do sleep 0.05; done"]}
  - {id: other, needs: [], run: [sh, -c, "until test -e go2; do sleep 0.05; done"]}
END
rm -f typescript
(until_it grep -q 'one.* running .*attempt 2 of 2' typescript && touch go2) &
on_terminal 70 'pawl run --fresh --watch two.yaml'
wait
says '^code 0$' shown

it "it wants one run, and people"
runs 2 pawl runs --watch
says 'goes with --id' err
runs 2 pawl runs --watch --id 11111111 --json
says 'not with --json' err
