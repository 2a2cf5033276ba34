# The manual pages and the programs name the same commands and options.
. "$SOURCE_DIR/tests/cli/shared.sh"

# Lines of "COMMAND --option", and of "COMMAND" alone, as the program's help has them.
in_program() {
        "$1" --help | grep '^  [a-z]' | sed -E 's/^  //; s/( (\[?[A-Z]+[^ ]*|bash))*  .*//; s/  .*//' |
                while read -r cmd; do
                        echo "$cmd"
                        # shellcheck disable=SC2086
                        "$1" $cmd --help | grep -oE '^  (-.,|   ) --[a-z-]+' | sed -E 's/^ *(-(.),)? */-\2 /; s/^- /  /' |
                                grep -vE -- "--($shared)\$" | sed -E "s/^ *(-.)? *(--.*)/\2 \1/" |
                                sed -E "s/^/$cmd /; s/ $//"
                done | sort
}

# The same, as the page's source has them.
in_page() {
        awk '
                /^\.Sh / {on = $2 == "COMMANDS"; next}
                on && /^\.Ss / {
                        cmd = $2
                        for (i = 3; i <= NF && $i !~ /^(Ar|Op|Oo)$/ && $i != "bash"; i++) cmd = cmd " " $i
                        print cmd
                }
                on && /^\.It / {
                        letter = ""
                        for (i = 2; i <= NF; i++) {
                                if ($i == "Fl" && $(i + 1) == "Fl") { print cmd " --" $(i + 2) letter; break }
                                if ($i == "Fl" || $i == "It") continue
                                if (length($i) == 1 && $i != ",") letter = " -" $i
                        }
                }' "$SOURCE_DIR/docs/man/$1.1" | sort
}

for program in pawl eventlog; do
        # The options of every command, which the page names once.
        shared="db|help|version"
        [ $program = eventlog ] || shared="$shared|key-file"

        it "the manual page of $program names its commands and options, and no others"
        in_program $program >program
        in_page $program >page
        [ "$(grep -c -- -- program)" -gt 5 ]
        diff program page

        it "the manual page of $program names the options of every command"
        for option in ${shared//|/ }; do
                says "^\.It .*Fl Fl $option" "$SOURCE_DIR/docs/man/$program.1"
        done

        mandoc -T ascii "$SOURCE_DIR/docs/man/$program.1" | sed "s/.\x08//g" >shown
        says "EXIT STATUS" shown
done

for page in "$SOURCE_DIR"/docs/man/*.[135]; do
        it "$(basename "$page") is clean"
        mandoc -T lint "$page" 2>/dev/null |
                grep -vE 'referenced manual not found|outdated mandoc.db' >complaints || true
        is_empty complaints
done

it "pawl-mission(5) has the keys and the variables of docs/reference/mission-file.md, and no others"
reference=$SOURCE_DIR/docs/reference/mission-file.md
page=$SOURCE_DIR/docs/man/pawl-mission.5
sed -n '/^| key |/,/^$/s/^| `\([^`]*\)`.*/\1/p' "$reference" | sort >documented
[ "$(wc -l <documented)" -gt 20 ]
sed -n 's/^\.It Ic //p' "$page" | sort | diff documented -
sed -n '/^| it gets |/,/^$/p' "$reference" | cut -d'|' -f2 | grep -oE 'PAWL_[A-Z_]+' | sort >documented
sed -n 's/^\.It Ev //p' "$page" | grep -oE 'PAWL_[A-Z_]+' | sort | diff documented -

it "the mission that pawl-mission(5) shows is one"
mkdir glossary steps
for step in research specify; do printf '#!/bin/sh\n' >steps/$step; chmod +x steps/$step; done
awk '/^\.Bd/ {n++; on = 1; next} /^\.Ed/ {on = 0} on && n == 1 {print > "mission.yaml"} on && n == 2 {print > "glossary/team.yaml"}' "$page"
runs 0 pawl init
pawl check mission.yaml >out 2>err || [ $? = 3 ] || failed "$(cat err)"

it "libpawl(3) has every public header, and its example is a program"
page=$SOURCE_DIR/docs/man/libpawl.3
(cd "$SOURCE_DIR/include" && ls pawl/*.h) >headers
sed -n 's/^\.It In //p' "$page" | sort | diff headers -
awk '/^\.Bd -literal -offset/ {on = 1; next} /^\.Ed/ {on = 0} on' "$page" | sed 's/\\e/\\/g' >use.c
$CC -std=c11 -Wall -Wextra -Werror -I"$SOURCE_DIR/include" -fsyntax-only use.c
