# eventlog note, prove, tiles and timestamp: what others can check with programs of their own (evidence.py, openssl).
. "$SOURCE_DIR/tests/cli/shared.sh"

check() { python3 "$SOURCE_DIR/tests/cli/evidence.py" "$@"; }
openssl genpkey -algorithm ed25519 -out key.pem 2>/dev/null
openssl pkey -in key.pem -pubout -out public.pem
steps() { printf 'mission: %s\nsteps:\n' "$1"; for n in $(seq "$2"); do printf '  - {id: s%s, inputs: {text: "Zoë \\u20ac %s"}, run: ["true"]}\n' "$n" "$n"; done; }
steps small 3 >small.yaml
runs 0 pawl run small.yaml
exported() { eventlog export >export.jsonl; }
exported
n=$(wc -l <export.jsonl)
first=$n

it "a note has the root of the events' tree, and a signature that openssl verifies"
runs 0 eventlog note --key key.pem
cp out first.note
check note export.jsonl first.note
same "$(head -n 1 first.note)" "$(head -n 1 export.jsonl | jq -r .hash)"
same "$(sed -n 2p first.note)" "$n"
check body first.note >body
check signature first.note >signature
runs 0 openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in body -sigfile signature
runs 0 eventlog note --key key.pem --origin example.com/log
same "$(head -n 1 out)" example.com/log
says '^— example.com/log ' out
runs 0 eventlog note --key key.pem --origin example.com/log --verifier
same "$(cat out)" "example.com/log+$(printf 'example.com/log\n\001%s' '' | cat - <(openssl pkey -in key.pem -pubout -outform DER | tail -c 32) | sha256sum | cut -c 1-8)+$({ printf '\001'; openssl pkey -in key.pem -pubout -outform DER | tail -c 32; } | base64 -w 0)"

runs 0 eventlog note --key key.pem --origin "example.com/$(printf '%0300d' 1)"
same "$(head -n 1 out | wc -c)" 313
same "$(tail -n 1 out | cut -d ' ' -f 2 | wc -c)" 313

it "a key of Go's note package signs as well, under its name"
seed=$(openssl pkey -in key.pem -outform DER | tail -c 32 | { printf '\001'; cat; } | base64 -w 0)
id=$(printf 'signer.example\n\001' | cat - <(openssl pkey -in key.pem -pubout -outform DER | tail -c 32) | sha256sum | cut -c 1-8)
(umask 077; printf 'PRIVATE+KEY+signer.example+%s+%s\n' "$id" "$seed" >named.key)
runs 0 eventlog note --key named.key --origin example.com/log
says '^— signer.example ' out
cp out named.note
check signature named.note >signature
check body named.note >body
runs 0 openssl pkeyutl -verify -pubin -inkey public.pem -rawin -in body -sigfile signature

it "each event is proved, against a new note and one that was given"
for seq in 1 2 7 "$n"; do
        runs 0 eventlog prove "$seq" --key key.pem
        cp out event.tlog-proof
        check proof export.jsonl event.tlog-proof "$seq"
        runs 0 eventlog prove "$seq" --note first.note
        tail -n +"$(($(grep -n '^$' out | head -n 1 | cut -d : -f 1) + 1))" out | cmp - first.note
done
runs 0 eventlog prove 1
cp out unsigned
check proof export.jsonl unsigned 1

it "that the log grew is proved, from each note on the way"
for n in 1 2 3 4 5; do
        runs 0 pawl run small.yaml --fresh
        exported
        runs 0 eventlog prove --since first.note --key key.pem
        cp out growth
        check growth export.jsonl first.note growth
        runs 0 eventlog note --key key.pem
        cp out "$n.note"
done
for n in 1 2 3 4 5; do
        runs 0 eventlog prove --since "$n.note"
        cp out growth
        check growth export.jsonl "$n.note" growth
done
runs 0 eventlog prove 2 --note first.note

it "tiles are those of the specification, and grow with the log"
fails 1 'tiles: DIR is empty; name a directory' eventlog tiles "" --key key.pem
runs 0 eventlog tiles site --key key.pem
check note export.jsonl site/checkpoint
runs 0 check tiles export.jsonl site
says ' new files in site$' <(eventlog tiles site --key key.pem)
same "$(eventlog tiles site --key key.pem | cut -d ' ' -f 3)" 0
steps large 50 >large.yaml
runs 0 pawl run large.yaml
exported
[ "$(wc -l <export.jsonl)" -gt 256 ]
runs 0 eventlog tiles site --key key.pem
runs 0 check tiles export.jsonl site
check note export.jsonl site/checkpoint
same "$(find site -name '.pawl-*' | wc -l)" 0

it "tiles of a log without an event are its checkpoint alone"
runs 0 pawl init new
runs 0 eventlog --db new/.pawl/events.db tiles new/site --key key.pem --origin example.com/new
same "$(ls new/site)" checkpoint
same "$(sed -n 2p new/site/checkpoint)" 0

it "a pruned payload changes nothing of it"
runs 0 eventlog note --key key.pem
cp out before.note
runs 0 pawl prune sessions --keep 1
[ "$(eventlog export | grep -c '"payload":null')" -gt 0 ]
exported
runs 0 eventlog prove --since before.note
cp out growth
check growth export.jsonl before.note growth
runs 0 eventlog tiles site --key key.pem
runs 0 check tiles export.jsonl site

it "a timestamp's query is over the note, and openssl ts verifies the answer that is kept"
cat >authority.cnf <<'END'
[tsa]
default_tsa = here
[here]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
[req]
distinguished_name = none
[none]
[ext]
extendedKeyUsage = critical,timeStamping
END
openssl req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out authority.pem -subj /CN=authority -config authority.cnf -extensions ext 2>/dev/null
echo 01 >serial
runs 0 eventlog timestamp first.note
same "$(cat out)" first.note.tsq
openssl ts -query -in first.note.tsq -text 2>/dev/null >query
says 'Hash Algorithm: sha256' query
openssl ts -reply -config authority.cnf -queryfile first.note.tsq -signer authority.pem -inkey authority.key -out answer 2>/dev/null
runs 0 eventlog timestamp first.note --answer answer
same "$(cat out)" first.note.tsr
runs 0 openssl ts -verify -data first.note -in first.note.tsr -CAfile authority.pem
fails 1 'answer: the timestamp is over something else; ' eventlog timestamp 1.note --answer answer
fails 1 'first.note: not the answer of a time-stamping authority' eventlog timestamp first.note --answer first.note
runs 1 test -e 1.note.tsr

it "what is wrong is refused, and nothing is printed"
openssl genpkey -algorithm x25519 -out other.pem 2>/dev/null
openssl genpkey -algorithm ed25519 -aes128 -pass pass:x -out secret.pem 2>/dev/null
for key in other.pem secret.pem public.pem /dev/null first.note; do
        fails 1 'key file .*: not a private key for Ed25519' eventlog note --key "$key"
        same "$(wc -c <out)" 0
done
printf 'PRIVATE+KEY+signer.example+00000000+%s\n' "$seed" >wrong.key
chmod 600 wrong.key
fails 1 'key file wrong.key: not "PRIVATE' eventlog note --key wrong.key
fails 1 'origin: is no name without spaces' eventlog note --key key.pem --origin 'a b'
runs 2 eventlog note
says 'note: --key is needed; ' err
runs 2 eventlog prove
says "prove: give an event's seq, or --since and a note; " err
fails 1 'seq 99999: the log has ' eventlog prove 99999
fails 1 'is of the first .* events alone' eventlog prove $((first + 1)) --note first.note
printf 'a\n01\nb\n' >bad.note
fails 1 'bad.note: not a note of a log' eventlog prove --since bad.note
chmod 644 named.key
for command in note 'prove 1' 'tiles elsewhere'; do
        fails 1 'key file named.key: others can get at it \(mode 0644\); run .chmod 600 named.key.' eventlog $command --key named.key
        same "$(wc -c <out)" 0
done
chmod 640 named.key
fails 1 'named.key: others can get at it \(mode 0640\)' eventlog note --key named.key
[ ! -e elsewhere ]

it "a note of another origin, or that this key did not sign, is no beginning to prove from"
chmod 600 named.key
runs 0 eventlog note --key named.key --origin example.com/log
cp out other.note
fails 1 'other.note: the note is of example.com/log, and this log is [0-9a-f]{64}; ' eventlog prove --since other.note --key key.pem
fails 1 'other.note: the note is of example.com/log, and this log is example.com/other; ' eventlog prove --since other.note --origin example.com/other
fails 1 'other.note: has no good signature by example.com/log; ' eventlog prove --since other.note --key key.pem --origin example.com/log
runs 0 eventlog prove --since other.note --key named.key --origin example.com/log
same "$(wc -c <err)" 0
sed '5s/.\(=*\)$/A\1/; 5s/AA/BB/' first.note >forged.note
fails 1 'forged.note: has no good signature by ' eventlog prove --since forged.note --key key.pem
head -n 3 first.note >unsigned.note
fails 1 'unsigned.note: has no good signature by ' eventlog prove --since unsigned.note --key key.pem
{ head -n 3 first.note; echo more; tail -n 2 first.note; } >longer.note
fails 1 'longer.note: has no good signature by ' eventlog prove --since longer.note --key key.pem
{ cat first.note; echo '— witness.example AAAAAAAA'; } >witnessed.note
runs 0 eventlog prove --since witnessed.note --key key.pem
runs 0 eventlog prove --since forged.note
says 'forged.note: its signature is not verified without --key' err

it "a log that was cut, or written anew, is not what its note says"
eventlog note --key key.pem >last.note
mkdir anew
(cd anew && pawl init >/dev/null && cp ../small.yaml . && pawl run small.yaml >/dev/null 2>&1)
fails 5 "last.note: the note is of .* events, and the log has .*: its end was cut" eventlog --db anew/.pawl/events.db prove --since last.note
fails 5 "first.note: the note's root is not that of the log's first" eventlog --db anew/.pawl/events.db prove 1 --note first.note
fails 5 'site/checkpoint: the note is of' eventlog --db anew/.pawl/events.db tiles site --key key.pem
printf x >>site/tile/0/000
cp site/tile/0/000 changed
fails 5 'site/tile/0/000: is not what the log has there' eventlog tiles site --key key.pem
runs 0 cmp site/tile/0/000 changed
