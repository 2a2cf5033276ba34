# Taking a tool call back is a rollback: it shows what it does, asks, removes what the call made, and can be undone.
. "$SOURCE_DIR/tests/cli/shared.sh"
printf '%s\n' /out /err >.pawlignore

# call NAME ARGS: a checkpoint before the call; prints the name of its document
call() {
        pawl tool checkpoint "[{\"callId\":\"c\",\"name\":\"$1\",\"args\":$2}]" --json | jq -r '.calls[0].checkpoint'
}

# restored NAME: take it back; prints whether the files are as they were
restored() {
        pawl restore "$1" --json >out 2>err
        jq -r .restored out
}

it "a file that the call's arguments name goes, with the directories that came with it"
echo one >a.txt
name=$(call write_file "{\"file_path\":\"$PWD/deep/er/new.txt\",\"content\":\"a.txt\"}")
mkdir -p deep/er
echo new >deep/er/new.txt
same "$(restored "$name")" true
[ ! -e deep ]
same "$(cat a.txt)" one
same "$(jq -c '[.rollback.removes, .rollback.left, .rollback.applied]' out)" '[3,0,true]'

it "undo brings it back, and redo takes it away again"
runs 0 pawl undo --yes
same "$(cat deep/er/new.txt)" new
runs 0 pawl redo --yes
[ ! -e deep ]
runs 0 pawl undo --yes
rm -r deep

it "files that the next checkpoint has go too; others are listed and left, and it is not restored then"
name=$(call write_file '{"file_path":"named.txt"}')
echo 1 >named.txt
echo 1 >unnamed.txt
runs 0 pawl checkpoint next
echo mine >later.txt
same "$(restored "$name")" false
same "$(ls)" "$(printf '%s\n' a.txt err later.txt out)"
same "$(jq -r '.rollback.items[] | select(.action == "leave") | "\(.path): \(.why)"' out)" \
        "later.txt: no checkpoint recorded it"
runs 0 pawl undo --yes
same "$(cat named.txt unnamed.txt later.txt | tr '\n' ' ')" "1 1 mine "

it "what came later than the next checkpoint has it stays, though a later one recorded it"
rm -f named.txt unnamed.txt later.txt
name=$(call write_file '{"file_path":"named.txt"}')
echo 1 >named.txt
echo 1 >unnamed.txt
runs 0 pawl checkpoint next
mkdir -p late/er
echo mine >late/er/x
echo mine >later.txt
runs 0 pawl checkpoint later
same "$(restored "$name")" false
same "$(ls)" "$(printf '%s
' a.txt err late later.txt out)"
same "$(jq -r '.rollback.items[] | select(.action == "leave") | "\(.path): \(.why)"' out)" \
        "$(printf '%s: not made by what is taken back\n' late later.txt)"
runs 0 pawl undo --yes
same "$(cat named.txt unnamed.txt later.txt late/er/x | tr '\n' ' ')" "1 1 mine mine "
rm -r late

it "the next checkpoint may be a safety copy"
rm named.txt unnamed.txt later.txt
name=$(call write_file '{"file_path":"x"}')
echo 1 >unrecorded
runs 0 pawl rollback current --yes
[ -e unrecorded ]
same "$(restored "$name")" true
[ ! -e unrecorded ]

it "names are found in arrays, objects and patches; contents, and paths elsewhere, are none"
: >m1
args='{"edits":[{"filePath":"m1"},{"filePath":"./m2"}],"paths":["m3"],"content":"mine","text":{"a":"mine"},
       "input":"*** Begin Patch\n*** Add File: m4\n+x\n*** Update File: a.txt\n*** Move to: m5\n*** End Patch",
       "uri":"file://'$PWD'/m6","file":"../mine","other_path":"/etc/passwd"}'
name=$(call replace "$args")
touch m2 m3 m4 m5 m6 mine
same "$(restored "$name")" false
same "$(ls)" "$(printf '%s\n' a.txt err m1 mine out)"
rm m1 mine

it "a directory stays that holds something else, and an ignored file that is named is left"
echo '*.log' >.gitignore
name=$(call write_file '{"file_path":"d/new.txt","log_file":"x.log"}')
mkdir d
touch d/new.txt d/mine x.log
same "$(restored "$name")" false
same "$(jq -r '.rollback.items[] | "\(.action) \(.path) \(.why)"' out)" \
        "$(printf '%s\n' 'remove d/new.txt null' 'leave d holds something that stays' \
                'leave d/mine no checkpoint recorded it' 'leave x.log ignored')"
rm -r d x.log .gitignore

it "what was not captured for another reason is left with that reason"
head -c 3000 /dev/zero >large.bin
mkfifo fifo
mkdir -p within/.git sub
git init -q within
echo '*.log' >.gitignore
name=$(pawl tool checkpoint '[{"callId":"c","name":"write_file","args":{"paths":["large.bin","fifo","within/.git/HEAD",".git/x","x.log","d/y"]}}]' \
        --max-file 2K --json | jq -r '.calls[0].checkpoint')
mkdir -p .git && touch x.log .git/x
runs 0 pawl restore "$name" --plan --json
same "$(jq -r '.rollback.items[] | select(.action == "leave") | "\(.path): \(.why)"' out | sort)" \
        "$(printf '%s\n' ".git/x: the log's own, or git's, which no rollback writes" 'fifo: not captured: special file' \
                'large.bin: not captured: too large' "within/.git/HEAD: not captured: a repository's own" 'x.log: ignored' | sort)"
rm -rf large.bin fifo within sub x.log .gitignore .git

it "--plan shows what would be done, --apply does that or nothing"
name=$(call write_file '{"file_path":"a.txt"}')
echo two >a.txt
echo hand >b.txt
before=$(eventlog head)
runs 0 pawl restore "$name" --plan --json
same "$(jq -c '[.restored, .safety, .rollback.applied, .rollback.writes]' out)" '[false,null,false,1]'
plan=$(jq -r .rollback.plan out)
runs 0 pawl restore "$name" --plan
says '^  write +a\.txt' out
same "$(cat a.txt) $(eventlog head)" "two $before"
fails 1 'is not what would be done any more' pawl restore "$name" --apply "${plan//[0-9]/0}"
runs 0 pawl restore "$name" --apply "$plan"
same "$(cat a.txt)" one
says '^rollback to checkpoint' out
says 'write +a\.txt' out
rm b.txt

it "a file that a person changed is named, and that of the call is not said to be"
echo b >b.txt
name=$(call write_file '{"file_path":"a.txt"}')
echo two >a.txt
echo person >b.txt
runs 0 pawl restore "$name" --plan
says '^  by hand b\.txt$' out
runs 0 pawl restore "$name" --plan --json
same "$(jq -c '[.rollback.items[] | [.path, .by_hand]]' out)" '[["a.txt",false],["b.txt",true]]'

it "on a terminal it asks, and nothing is changed without a yes"
if command -v script >/dev/null; then
        script -qec "pawl restore $name" /dev/null </dev/null >out || true
        says 'b\.txt' out
        says 'take it back\? \[y/N\]' out
        same "$(cat b.txt)" person
        script -qec "pawl restore $name --yes" /dev/null </dev/null >out
        same "$(cat a.txt b.txt | tr '\n' ' ')" "one b "
        runs 0 pawl undo --yes
fi

it "an absolute path may lead there by a link"
link=$(dirname "$PWD")/link-to-${PWD##*/}
ln -s "$PWD" "$link"
name=$(call write_file "{\"file_path\":\"$link/linked\"}")
: >linked
same "$(restored "$name")" true
[ ! -e linked ]
rm "$link"

it "a mode that cannot come back is not as it was"
: >prog
chmod 4755 prog
if [ "$(stat -c %a prog)" = 4755 ]; then
        name=$(call write_file '{"file_path":"a.txt"}')
        rm prog
        same "$(restored "$name")" false
        same "$(stat -c %a prog)" 755
fi

it "the log holds"
runs 0 eventlog replay --check
runs 0 eventlog verify
