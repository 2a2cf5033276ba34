# Needs PAWL_WITH_SERVICE, PAWL_WITH_GIT, PAWL_WITH_ARCHIVE, PAWL_WITH_POSTGRES.
# Libraries that few commands use are loaded by those alone: they are not linked, and a service, which
# is the one that speaks HTTP, has loaded that library when it is ready.
for file in "$BIN/pawl" "$BIN/eventlog" "$BUILD_DIR"/libpawl.so*; do
        [ -e "$file" ] || continue # a static library
        readelf -d "$file" >dynamic
        grep -q NEEDED dynamic
        if grep NEEDED dynamic | grep -E 'microhttpd|gnutls|libgit2|libarchive|libcrypto|libpq|smartcols'; then
                echo "$file: links what is to be loaded when it is first used"
                exit 1
        fi
done

# What is loaded late stands in the file, as packagers' tools read it: each note a JSON array.
noted() {
        readelf -nW "$1" | grep -oE 'FDO +0x[0-9a-f]+\s+[^(]*\(0x407c0c0a\)' | wc -l
        objcopy -O binary --only-section=.note.dlopen --set-section-flags .note.dlopen=alloc "$1" notes
        grep -aoE '\[\{"feature".*\}\]' notes | jq -r '.[] | select(.description and .priority) | .soname[]' | sed 's/\.so\..*//' | sort
}
if ! nm "$BIN/pawl" | grep -q __asan_init; then # which pads what it watches
        noted "$BIN/pawl" | tr '\n' ' ' | grep -qx '6 libarchive libcrypto libgit2 libmicrohttpd libpq libsmartcols '
        [ ! -e "$BUILD_DIR/libpawl.so" ] ||
                noted "$BUILD_DIR/libpawl.so" | tr '\n' ' ' | grep -qx '4 libarchive libcrypto libgit2 libpq '
fi

pawl serve --listen 127.0.0.1:0 --json >ready &
trap 'kill -TERM $! 2>/dev/null; wait' EXIT
for _ in $(seq 500); do [ ! -s ready ] || break; sleep 0.02; done
grep -q microhttpd "/proc/$(jq .pid ready)/maps"
if grep -E 'libgit2|libarchive|libpq' "/proc/$(jq .pid ready)/maps"; then
        echo "a service that has done nothing yet has loaded what it does not use"
        exit 1
fi
