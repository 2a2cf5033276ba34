# What a checkpoint does not capture is named with why, and named again by a rollback that can't bring it back.
. "$SOURCE_DIR/tests/cli/shared.sh"

printf '%s\n' out err >.pawlignore
runs 0 pawl init
git init -q within
echo kept >within/file
head -c 2000 /dev/zero >large
mkfifo pipe

it "a checkpoint names it, and so does whoever shows that"
runs 0 pawl checkpoint first --max-file 1K
says '1 too large, 1 special, 1 of repositories$' out
says '^  not captured: large \(too large\)$' out
says '^  not captured: within/\.git \(repository\)$' out
runs 0 pawl checkpoint --json
missed='[{"path":"large","why":"too large"},{"path":"pipe","why":"special"},{"path":"within/.git","why":"repository"}]'
same "$(jq -c .not_captured out)" "$missed"
same "$(jq -c .skipped out)" 3
same "$(pawl show 1 --json | jq -c .not_captured)" "$missed"
runs 0 pawl show 1
says '^  not captured: within/\.git \(repository\)$' out

it "what is still there is no concern of a rollback"
echo changed >within/file
runs 0 pawl rollback 1 --yes
same "$(cat within/file)" kept
test -e within/.git/HEAD || { echo "the repository within is gone"; exit 1; }
lacks 'brought back' out

it "what is gone is named by the plan and by what was done"
rm -rf within large
runs 0 pawl checkpoint second
runs 0 pawl rollback 1 --plan
says "^  leave   large: can't be brought back: too large then$" out
says "^  leave   within/\.git: can't be brought back: a repository's own$" out
runs 0 pawl rollback 1 --plan --json
same "$(jq -c '[.lost, [.items[] | select(.lost) | .path]]' out)" '[2,["large","within/.git"]]'
runs 0 pawl rollback 1 --yes
says "^  leave   large: can't be brought back: too large then$" out
says "^  leave   within/\.git: can't be brought back: a repository's own$" out
same "$(cat within/file)" kept
test ! -e within/.git || { echo "a repository came from nowhere"; exit 1; }

it "what is called .pawl below the root is named too, or in another writing in it, unless a rule leaves it out"
mkdir -p sub/.pawl other/.PAWL left/.pawl .Pawl
echo 1 | tee sub/.pawl/notes other/.PAWL/notes .Pawl/notes >left/.pawl/notes
echo left/.pawl >.gitignore
runs 0 pawl checkpoint --json
n=$(jq .n out)
same "$(jq -c '[.reserved, [.not_captured[] | select(.why == "reserved name").path]]' out)" \
        '[3,[".Pawl","other/.PAWL","sub/.pawl"]]'
runs 0 pawl checkpoint again
says '3 of reserved names$' out
runs 0 pawl export "$n" -o ../named.tar.zst
rm -rf sub other/.PAWL left .gitignore
runs 0 pawl rollback "$n" --yes
same "$(cat .Pawl/notes)" 1
lacks 'leave   \.Pawl' out
rm -r .Pawl
runs 0 pawl rollback "$n" --yes
says "^  leave   \.Pawl: can't be brought back: a reserved name$" out
says "^  leave   sub/\.pawl: can't be brought back: a reserved name$" out
says "^  leave   other/\.PAWL: can't be brought back: a reserved name$" out
test -d sub
test ! -e sub/.pawl || { echo "a .pawl came from nowhere"; exit 1; }
mkdir sub/.pawl
runs 0 pawl rollback 1 --yes
[ -d sub/.pawl ]
runs 0 pawl validate
mkdir elsewhere && (cd elsewhere && own_log && runs 0 pawl import ../../named.tar.zst)
rm -rf sub other left elsewhere ../named.tar.zst

it "a difference is not known where one side did not capture: it is named, in no patch and no count"
mkdir compared && cd compared && own_log
printf '%s\n' out err p >.pawlignore
seq 1 300 >data; echo a >pipe; mkdir part; echo b >part/b; echo c >part/c
runs 0 pawl checkpoint one
seq 1 900 >data; rm pipe; mkfifo pipe; echo new >new; head -c 3000 /dev/zero >huge
runs 0 pawl checkpoint two --max-file 2K
unknown='[{"path":"data","why":"too large","checkpoint":2},{"path":"pipe","why":"special","checkpoint":2}]'
runs 0 pawl diff 1 2
says '^A  new  \+1 -0$' out
says '^1 added, 0 modified, 0 removed; \+1 -0 lines$' out
says '^  not captured: data \(too large\) in checkpoint 2$' out
says '^  not captured: pipe \(special\) in checkpoint 2$' out
lacks 'null' out
runs 0 pawl diff 1 2 --json
same "$(jq -c '[[.files[].path], .not_captured]' out)" '[["new"],'"$unknown]"
runs 0 pawl diff 2 1 --json
same "$(jq -c '[[.files[].path], .not_captured]' out)" '[["new"],'"$unknown]"
runs 0 pawl diff 1 2 --json -- pipe
same "$(jq -c '[.files, [.not_captured[].path]]' out)" '[[],["pipe"]]'
runs 0 pawl diff 1 --json --max-file 2K
same "$(jq -c '[[.files[].path], .not_captured]' out)" '[["new"],'"$(echo "$unknown" | sed 's/:2}/:null}/g')]"
runs 0 pawl checkpoints --json
same "$(jq -c '.[-1].changed' out)" '{"added":1,"removed":0,"modified":0}'
runs 0 pawl show 2
says '^changed +1 since checkpoint 1$' out
lacks 'null' out
pawl diff 1 2 --patch >p
same "$(grep -c '^diff' p)" 1
rm pipe huge; seq 1 900 >data; echo p >pipe
runs 0 pawl checkpoint three --max-file 1M
runs 0 pawl show 3
says '^changed +0 since checkpoint 2$' out
says '^  not captured: data \(too large\) in checkpoint 2$' out
lacks 'null' out
as_user() {
        "$@"
}
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
        chown -R 1000:1000 .
        chmod 755 . .. "$(dirname "$BIN")"
        as_user() {
                setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/nonexistent "$@"
        }
fi
if ! on_server && { [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null; }; then
        chmod 0 part
        runs 0 as_user "$BIN/pawl" checkpoint four
        runs 0 as_user "$BIN/pawl" diff 3 --json
        same "$(jq -c '[.files, .not_captured]' out)" '[[],[{"path":"part","why":"unreadable","checkpoint":null}]]'
        chmod 700 part
        runs 0 as_user "$BIN/pawl" diff 3 4 --json
        same "$(jq -c '[.files, .not_captured]' out)" '[[],[{"path":"part","why":"unreadable","checkpoint":4}]]'
        runs 0 as_user "$BIN/pawl" diff 3 4 --json -- part/b
        same "$(jq -c '[.files, [.not_captured[].path]]' out)" '[[],["part"]]'
fi
cd .. && rm -rf compared

it "the checkpoint of a step names it too"
cat >mission.yaml <<'END'
mission: m
steps: [{id: one, run: [sh, -c, "mkfifo made"]}]
END
runs 0 pawl run mission.yaml --no-input
same "$(pawl show current --json | jq -c '[.trigger, .not_captured]')" \
        '["auto",[{"path":"made","why":"special"},{"path":"pipe","why":"special"}]]'

it "what git tracks is captured and comes back, whatever ignores it; what git ignores is not"
rm -f pipe made
mkdir repository repository/build home
cd repository
export HOME=$PWD/../home
unset XDG_CONFIG_HOME
git init -q .
git config --global core.excludesFile '~/excludes'
echo '*.env' >../home/excludes
echo build/ >.gitignore
echo secret >>.git/info/exclude
printf '%s\n' out err >.pawlignore
touch secret x.env build/made
echo tracked >build/tracked
git add -f build/tracked
own_log
runs 0 pawl checkpoint --json
same "$(jq -c '[.files, .ignored]' out)" '[3,5]' # both of ours and build/tracked
rm -r build
runs 0 pawl rollback 1 --yes
same "$(cat build/tracked)" tracked
rm ../home/excludes
mkdir -p ../home/.config/git
git config --global --unset core.excludesFile
echo secret >../home/.config/git/ignore
runs 0 pawl checkpoint --json
same "$(jq -c .files out)" 4
XDG_CONFIG_HOME=$PWD/../nowhere runs 0 pawl checkpoint --json
same "$(jq -c .files out)" 4
printf '[core\n' >>../home/.gitconfig
fails 1 '/home/\.gitconfig, line [0-9]+: is no line of .*; look with `git config --list`' pawl checkpoint
