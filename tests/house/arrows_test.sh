# Each library is used where the design says. (An #include that points up the house does not compile.)
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
only 'uuid/' base
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
exit $fail
