# What the documents show is what stands: links lead somewhere, the statuses are the header's, the
# embedding example is the file itself.
cd "$SOURCE_DIR"
fail=0

for page in README.md CONTRIBUTING.md examples/*/README.md docs/*.md docs/*/*.md; do
        folder=$(dirname "$page")
        while read -r link; do
                [ -e "$folder/$link" ] || { echo "$page: there is no $link"; fail=1; }
        done < <(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:' || true)
done

while read -r name number; do
        grep -qE "^\\| \`$name\` \\| $number \\|" docs/reference/c-api.md ||
                { echo "docs/reference/c-api.md: $name is $number in the header"; fail=1; }
done < <(grep -oE 'PAWL_[A-Z]+ = -?[0-9]+' include/pawl/base.h | tr -d '=')

awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' docs/how-to/embed.md | diff - examples/embed/embed.c ||
        { echo "docs/how-to/embed.md does not show examples/embed/embed.c"; fail=1; }
[ "$(wc -l <examples/embed/embed.c)" -lt 60 ] || { echo "examples/embed/embed.c has 60 lines or more"; fail=1; }

# Every event type of the table is described.
grep -oE '"[A-Z][A-Za-z]+"' events/types.c | tr -d '"' | sort -u | while read -r type; do
        grep -q "\`$type\`" docs/reference/event-log.md || { echo "event-log.md: $type is missing"; exit 1; }
done || fail=1

# Every test that a promise names is there.
for page in durability threat-model; do
        while read -r test; do
                ls tests/"$test"_test.* >/dev/null 2>&1 || [ "$test" = 'fuzz/*' ] ||
                        [ -e "tests/fuzz/fuzz_${test#fuzz/}.c" ] ||
                        { echo "docs/explanation/$page.md: there is no test $test"; fail=1; }
        done < <(grep '^|' docs/explanation/$page.md | grep -oE '`[a-z]+/[a-z_*]+`' | tr -d '`')
done
exit $fail
