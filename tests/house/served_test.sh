# A command that is served asks its context, and not the process, who asks, what is at hand and where to
# print: another thread may run another command at the same time.
cd "$SOURCE_DIR"
fail=0
process='\b(stdin|stdout|stderr|STD(IN|OUT|ERR)_FILENO)\b|\b(printf|puts|putchar|perror|getchar|(secure_)?getenv|setenv|getcwd|chdir|getpw(uid|nam)|_?exit|abort|setlocale|isatty|signal|sigaction|umask|strtok|localtime|gmtime|fork|posix_spawnp?|system|popen) *\('

# These are the process's own, its terminal's, or of commands that no service offers.
own='cli/main.c cli/eventlog/tail.c cli/pawl/backup.c cli/pawl/copy.c cli/pawl/documents.c cli/pawl/git.c cli/pawl/hook.c cli/pawl/hook_call.c cli/pawl/hooks.c cli/pawl/hooks_agent.c cli/pawl/mcp.c
cli/pawl/init.c
cli/pawl/outcome.c cli/pawl/prompt.c cli/pawl/prompt_others.c cli/pawl/serve.c cli/pawl/signals.c cli/pawl/session_run.c cli/pawl/slot.c
cli/pawl/unfinished.c cli/pawl/watch.c cli/pawl/work.c'
for file in $own; do
        [ -e "$file" ] || { echo "$file: is named here, and is not there"; fail=1; }
        ! grep -Hn CLI_SERVED "$file" || { echo "$file: is said to be of no served command"; fail=1; }
done

# And these, each in its file, come after the context was asked, or where there is a terminal.
allowed() {
        case "$1 $2" in
        *' '*served*) ;;                            # on the line itself
        'cli/pawl/actor.c '*getenv* | 'cli/pawl/actor.c '*getpwuid*) ;;
        'cli/pawl/agree.c '*stderr* | 'cli/pawl/agree.c '*STDIN_FILENO*) ;;
        'cli/pawl/workspace.c '*stderr*) ;;         # where there is a terminal
        'cli/pawl/workspace.c '*getcwd*) ;;         # a path of a served command is from the root on
        'command/find.c '*getcwd* | 'command/values.c '*getenv*) ;;
        'command/input.c '*STD*_FILENO*) ;;         # arguments that name files are refused
        'command/key.c '*getenv*) ;;
        'command/owner.c '*getenv* | 'command/owner.c '*getpwuid*) ;; # of a log that was not named
        'command/printable.c '*getenv* | 'command/printable.c '*isatty*) ;;
        'command/table.c '*setlocale*) ;;           # a table is for people
        *) return 1 ;;
        esac
}
# A file without its strings and comments.
without_texts() {
        sed -E 's,"(\\.|[^"\\])*","",g; s,/\*.*,,; s,^ *\* .*,,' "$1"
}
for file in cli/*.c cli/*/*.c command/*.c; do
        grep -qw -- "$file" <<<"$own" && continue
        while IFS= read -r line; do
                allowed "$file" "$line" || { echo "$file:$line"; fail=1; }
        done < <(without_texts "$file" | grep -nE "$process" || true)
done
[ $fail -eq 0 ] || echo "a served command takes from its context (command/command.h) what it needs"
exit $fail
