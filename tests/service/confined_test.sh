# A client of the service has it run missions of the workspace, or of the log, and read no other file.
. "$SOURCE_DIR/tests/cli/shared.sh"
mkdir work outside work/sub
cd work
mission() { printf 'mission: %s\nsteps: [{id: s, run: [sh, -c, "%s"]}]\n' "$@"; }
mission m 'touch ran' >m.yaml
mission n 'touch ../ran' >sub/n.yaml
mission out "touch $PWD/ran" >../outside/m.yaml
mission kept '[ -e go ]' >kept.yaml
mission swapped '[ -e go ]' >swapped.yaml
mission away '[ -e go ]' >../outside/away.yaml
mission away '[ -e go ]' >away.yaml
printf 'mission: p\nparams: {a: {type: string}}\nsteps: [{id: s, run: [echo, {$param: a}]}]\n' >p.yaml
printf 'a: x\n' >good.yaml
printf '"hidden value": x\n' >odd.yaml
printf 'root:*:20000:0:99999:7:::\nbin: x\n' >../outside/shadow
ln -s ../outside/m.yaml link.yaml
ln -s ../outside/shadow shadow
ln -s ../outside way
ln -s sub/n.yaml inner.yaml
mkfifo fifo
runs 0 pawl init
runs 1 pawl run kept.yaml --run kept
runs 1 pawl run swapped.yaml --run swapped
runs 1 pawl run ../outside/away.yaml --run away
touch go ../outside/go
ln -sf ../outside/shadow swapped.yaml

it "what a client names is in the workspace, and nothing else is run, read or quoted"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/confined.py"
runs 0 eventlog replay --check
