# An #include points down the house, and each library is used where the design says.
cd "$SOURCE_DIR"
fail=0

# allowed FOLDER MODULE...: FOLDER may include headers of these modules alone (and its own).
allowed() {
        local folder=$1 modules
        shift
        modules=$(printf '%s|' "$folder" "$@")
        if grep -rnE '^ *# *include *"[^"/]+/' "$folder" --include='*.[ch]' |
                grep -vE "include *\"(${modules%|})/"; then
                echo "arrow: $folder/ may include ${modules%|} alone"
                fail=1
        fi
}
allowed base
allowed events base
allowed state events base
allowed checkpoint state events base
allowed glossary state events base
allowed pipeline checkpoint glossary state events base
allowed session workspace checkpoint glossary state events base
allowed workspace checkpoint glossary state events base
allowed toolcalls workspace state events base
allowed mission pipeline session toolcalls workspace checkpoint glossary state events base
allowed command mission pipeline session toolcalls workspace checkpoint glossary state events base
allowed service command mission pipeline session toolcalls workspace checkpoint glossary state events base
allowed cli service command mission pipeline session toolcalls workspace checkpoint glossary state events base

# only HEADER FOLDER...: a library's header is included in these folders alone.
only() {
        local header=$1 places
        shift
        places=$(printf '%s|' "$@")
        if grep -rnE "^ *# *include *<$header" --include='*.[ch]' \
                base events state checkpoint glossary pipeline session workspace toolcalls mission command \
                service cli include |
                grep -vE "^(${places%|})/"; then
                echo "library: <$header> belongs to ${places%|} alone"
                fail=1
        fi
}
only 'sqlite3\.h' events state
only 'openssl/' base
only 'uuid/' base
only 'utf8proc' base
only 'yaml\.h' glossary
only 'libsmartcols' command
only 'zstd\.h' workspace
only 'git2' workspace
only 'archive' workspace
only 'microhttpd' service

# The public headers include each other and the standard library.
if grep -nE '^ *# *include' include/pawl/*.h | grep -vE '<(pawl/[a-z]+\.h|std[a-z]+\.h)>'; then
        echo "header: a public header includes something private"
        fail=1
fi

# Library code neither prints nor ends the process nor reads the environment.
if grep -rnE '\b(printf|puts|exit|abort|getenv|setlocale|perror) *\(' --include='*.c' \
        base events state checkpoint glossary pipeline session workspace toolcalls mission; then
        echo "library code prints, exits or reads the environment"
        fail=1
fi
exit $fail
