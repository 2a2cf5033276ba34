# Each library is used where the design says. (An #include that points up the house does not compile.)
work=$PWD
cd "$SOURCE_DIR"
fail=0

# only HEADER FOLDER...: a library's header is included in these folders alone.
only() {
        local header=$1 places
        shift
        places=$(printf '%s|' "$@")
        if grep -rnE "^ *# *include *<$header" --include='*.[ch]' \
                base events state checkpoint document glossary pipeline session workspace toolcalls threads mission command \
                service cli include |
                grep -vE "^(${places%|})/"; then
                echo "library: <$header> belongs to ${places%|} alone"
                fail=1
        fi
}
only 'sqlite3\.h' events/sqlite
only 'libpq' events/postgres
only 'openssl/' base
only 'utf8proc' base
only 'yaml\.h' document
only 'libsmartcols' command
only 'zstd\.h' workspace/store
only 'git2' workspace/git workspace/diff
only 'archive' workspace/archive
only 'microhttpd' service

# The public headers include each other and the standard library.
if grep -nE '^ *# *include' include/pawl/*.h | grep -vE '<(pawl/[a-z]+\.h|std[a-z]+\.h)>'; then
        echo "header: a public header includes something private"
        fail=1
fi

# Library code neither prints nor ends the process nor reads the environment.
if grep -rnE '\b(printf|puts|exit|abort|getenv|setlocale|perror) *\(' --include='*.c' \
        base events state checkpoint document glossary pipeline session workspace toolcalls threads mission; then
        echo "library code prints, exits or reads the environment"
        fail=1
fi

# No two files call each other, directly or by others: what both need is in a file below them. (Those of the
# PostgreSQL engine count as one: what waits to be sent goes before whatever is sent.)
find "$BUILD_DIR" -path '*.dir/*.c.o' -not -path '*/tests/*' -not -path '*/bench/*' -not -path '*/examples/*' |
        while read -r object; do
                file=${object##*.dir/} file=${file%.o}
                [ ! -e "cli/$file" ] || [ -e "$file" ] || file=cli/$file
                [ ! -e "$file" ] || echo "$object: ${file/#events\/postgres\/*/events/postgres}"
        done >"$work/objects"
cut -d: -f1 "$work/objects" | xargs nm -AP | awk '
        NR == FNR { file[$1] = $2; next }
        $3 ~ /^[TDBR]$/ { many[$2] = from[$2] && from[$2] != file[$1]; from[$2] = file[$1] }
        $3 == "U" { needs[file[$1] " " $2] = 1 }
        END {
                for (pair in needs) {
                        split(pair, p, " ")
                        if (from[p[2]] && !many[p[2]] && from[p[2]] != p[1]) print p[1], from[p[2]]
                }
        }' "$work/objects" - | sort -u >"$work/calls"
[ "$(wc -l <"$work/calls")" -gt 1000 ] || { echo "circles: no calls between files were found"; fail=1; }
if ! tsort "$work/calls" >/dev/null 2>"$work/circles"; then
        echo "these files call each other in a circle:"
        sed 's/^tsort: //' "$work/circles"
        fail=1
fi
exit $fail
