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
                        for (i = 3; i <= NF && $i !~ /^(Ar|Op)$/ && $i != "bash"; i++) cmd = cmd " " $i
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

        it "the manual page of $program is clean"
        mandoc -T lint "$SOURCE_DIR/docs/man/$program.1" 2>/dev/null |
                grep -vE 'referenced manual not found|outdated mandoc.db' >complaints || true
        is_empty complaints
        mandoc -T ascii "$SOURCE_DIR/docs/man/$program.1" | sed "s/.\x08//g" >shown
        says "EXIT STATUS" shown
done
