# Every package that the build asks for is in scripts/deps.
cd "$SOURCE_DIR"
scripts/deps --list build test check >"$OLDPWD/listed"
cd "$OLDPWD"

# package MODULE: the Debian package that has this pkg-config module (or CMake package).
declare -A package=([sqlite3]=libsqlite3-dev [libutf8proc]=libutf8proc-dev
        [yaml-0.1]=libyaml-dev [smartcols]=libsmartcols-dev [cmocka]=libcmocka-dev
        [libzstd]=libzstd-dev [libgit2]=libgit2-dev [libarchive]=libarchive-dev [libmicrohttpd]=libmicrohttpd-dev
        [libpq]=libpq-dev [libcjson]=libcjson-dev [libcrypto]=libssl-dev [PkgConfig]=pkg-config [Threads]=libc6-dev)
{
        grep -rhoE 'pkg_check_modules\([A-Z0-9_]+ REQUIRED IMPORTED_TARGET [a-zA-Z0-9.-]+' \
                "$SOURCE_DIR"/cmake "$SOURCE_DIR"/CMakeLists.txt "$SOURCE_DIR"/tests "$SOURCE_DIR"/cli |
                awk '{print $NF}'
        grep -rhoE 'find_package\([A-Za-z]+' "$SOURCE_DIR"/cmake "$SOURCE_DIR"/CMakeLists.txt |
                sed 's/.*(//'
} | sort -u >wanted
[ -s wanted ]
while read -r module; do
        name=${package[$module]:-}
        [ -n "$name" ] || { echo "$module: say in this test which package has it"; exit 1; }
        grep -qx "$name" listed || { echo "$name is not in scripts/deps"; exit 1; }
        dpkg -s "$name" >/dev/null
done <wanted
