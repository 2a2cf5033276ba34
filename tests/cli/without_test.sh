# A build without a part says which option has it, and changes nothing; the rest works.
. "$SOURCE_DIR/tests/cli/shared.sh"
lacks() {
        grep -qx "PAWL_WITH_$1:BOOL=OFF" "$BUILD_DIR/CMakeCache.txt"
}
lacks GIT || lacks ARCHIVE || lacks SERVICE || lacks POSTGRES || { echo "skipped: built with everything"; exit 77; }
git init -q . && git -c user.name=ana -c user.email=ana@example.org commit -q --allow-empty -m first
write_mission
runs 3 pawl run mission.yaml --run one --no-input
runs 0 pawl checkpoint
before=$(eventlog head)

if lacks ARCHIVE; then
        it "export and import name the option of the build"
        fails 1 '^pawl: x\.tar\.zst: this build reads and writes no archives; .*-DPAWL_WITH_ARCHIVE=ON' pawl export -o x.tar.zst
        [ ! -e x.tar.zst ]
        fails 1 'this build reads and writes no archives; .*-DPAWL_WITH_ARCHIVE=ON' \
                pawl import "$SOURCE_DIR/tests/golden/archives/version-1.tar.zst"
fi
if lacks POSTGRES; then
        it "a URL names the option of the build"
        fails 1 'this build opens no log on a server; .*-DPAWL_WITH_POSTGRES=ON' pawl status --db 'postgresql://u:secret@host/db#log'
        says_not=$(grep secret err || true)
        same "$says_not" ""
fi
if lacks SERVICE; then
        it "serve names the option of the build"
        fails 1 '^pawl: serve: this build has no service; .*-DPAWL_WITH_SERVICE=ON' pawl serve
fi
if lacks GIT; then
        it "what moves git names the option of the build, and files are compared all the same"
        fails 1 '^pawl: git: this build does without libgit2; .*-DPAWL_WITH_GIT=ON' pawl rollback 1 --git --yes
        printf 'a\nb\nc\nd\n' >text
        runs 0 pawl checkpoint --json
        number=$(jq .n out)
        before=$(eventlog head)
        printf 'a\nB\nc\nD\n' >text
        runs 0 pawl diff "$number"
        says '^M  text  \+3 -3$' out
fi
same "$(eventlog head)" "$before"
