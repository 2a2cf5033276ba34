# include: and exclude: in .pawl/config.yaml and in a mission: what is captured although other rules leave it out, and what is not.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
printf '%s\n' home out err >.pawlignore
mkdir home
git init -q .
printf '%s\n' .env '*.log' build/ >.gitignore
echo secret >.env
echo log >a.log
mkdir build && echo o >build/o
files() { pawl diff "$1" --json | jq -c '[.files[].path]'; }
runs 0 pawl init

it "an ignored file is not captured"
runs 0 pawl checkpoint one
same "$(pawl show 1 --json | jq -c .include)" null
echo other >.env
same "$(files 1)" '[]'

it "include in config.yaml captures it, and show lists the patterns"
echo 'include: [.env]' >.pawl/config.yaml
runs 0 pawl checkpoint two
same "$(pawl show 2 --json | jq -c .include)" '[".env"]'
runs 0 pawl show 2
says '^included +\[".env"\]$' out
echo lost >.env
same "$(files 2)" '[".env"]'
runs 0 pawl rollback 2 --yes
same "$(cat .env)" other

it "so does a mission, beside it; a hook goes by config.yaml"
printf 'mission: m\nworkspace: {include: ["*.log"]}\nsteps:\n  - {id: a, run: [touch, new]}\n' >m.yaml
runs 0 pawl run m.yaml
n=$(pawl checkpoints --json | jq '.[-1].n')
same "$(pawl show "$n" --json | jq -c .include)" '[".env","*.log"]'
echo more >>a.log
same "$(files "$n")" '["a.log"]'
echo x >f
echo '{"session_id":"s","transcript_path":"/t","cwd":"'"$PWD"'","prompt_id":"p","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true"},"tool_use_id":"u"}' >../call.json
runs 0 sh -c 'pawl hook <../call.json'
n=$(pawl checkpoints --json | jq '.[-1].n')
same "$(pawl show "$n" --json | jq -c .include)" '[".env"]'
rm ../call.json

it "exclude leaves out, also what git tracks"
git add f && printf 'include: []\nexclude: [f]\n' >.pawl/config.yaml
runs 0 pawl checkpoint
n=$(pawl checkpoints --json | jq '.[-1].n')
same "$(pawl show "$n" --json | jq -c .include)" null
echo y >f
echo again >.env
same "$(files "$n")" '[]'

it "what is not a pattern is an error that names the line"
printf '# x\ninclude: [1]\n' >.pawl/config.yaml
fails 1 'config\.yaml: line 2: include: is not a pattern; ' pawl checkpoint
printf 'include: .env\n' >.pawl/config.yaml
fails 1 'config\.yaml: line 1: include: must be a list' pawl checkpoint
