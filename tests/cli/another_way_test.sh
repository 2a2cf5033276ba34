# docs/how-to/try-another-way.md, as it is written.
. "$SOURCE_DIR/tests/cli/shared.sh"
page=$SOURCE_DIR/docs/how-to/try-another-way.md
mkdir work && cd work
awk '/^```yaml$/ {on = 1; next} /^```$/ {on = 0} on' "$page" >release.yaml
grep '^\$ ' "$page" | sed 's/^\$ //' >commands
printf '%s\n' commands out err made >.gitignore

it "its commands do what it says"
same "$(wc -l <commands)" 6
runs 0 bash -ec "$(sed -n 1p commands)"
runs 0 bash -ec "$(sed -n 2p commands)"
new=$(cat out)
says "^\`pawl resume $new\` goes on with it\$" err
[ ! -e ../short/text.txt ]
same "$(cat ../short/plan.txt)" "$(cat plan.txt)"
runs 0 bash -ec "$(sed -n 3p commands | sed "s/1f0c7a52/$new/")"
runs 0 bash -ec "$(sed -n 4p commands)"
same "$(cat out)" "a short text"
same "$(cat text.txt)" "a long text"
runs 1 bash -ec "$(sed -n 5p commands | sed "s/1f0c7a52/$new/")"
says '^M  text.txt' out

it "in place, and back"
fails 1 '; say --yes' bash -c "exec $(sed -n 6p commands)"
runs 0 bash -ec "$(sed -n 6p commands) --yes"
[ ! -e text.txt ]
runs 0 pawl undo --yes
[ -e text.txt ]
