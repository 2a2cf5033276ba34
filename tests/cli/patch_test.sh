# pawl diff --patch: what `git apply` takes, forward and back, binary files included; and nothing that neither side captured.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
printf '%s\n' home out err '*.patch' >.pawlignore
mkdir home sub
pawl init >/dev/null
seq 30 >f
printf '\0\1\2' >changed
head -c 200000 /dev/urandom >'sub/large name'
printf '\0gone' >removed
: >filled
printf '\0now' >emptied
printf '\0run' >mode
runs 0 pawl checkpoint 1
sed -i 's/^5$/five/' f
printf '\0\1\3' >changed
head -c 70000 /dev/urandom >'sub/large name'
rm removed
printf '\0full' >filled
: >emptied
printf '\0RUN' >mode
chmod +x mode
printf '\0new' >new
runs 0 pawl checkpoint 2
runs 0 pawl diff 1 2 --patch
cp out change.patch

it "git takes it back"
runs 0 git apply -R change.patch
runs 0 pawl diff 1
says "^no difference$" out

it "and applies it again"
runs 0 git apply change.patch
runs 0 pawl diff 2
says "^no difference$" out

it "a later change is kept where one change is taken back"
sed -i 's/^25$/later/' f
runs 0 git apply -R change.patch
grep -qx 5 f
grep -qx later f

it "what neither side captured is no difference"
runs 0 pawl checkpoint 3
mkfifo pipe
head -c 3000 /dev/zero >huge
runs 0 pawl diff 3
lacks 'pipe' out
runs 0 pawl checkpoint 4 --max-file 2K
says 'not captured: pipe \(special\)' out
runs 0 pawl diff 3 4 --json
same "$(jq -c '[.files[].path] | index("pipe")' out)" null
