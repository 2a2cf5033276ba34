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
