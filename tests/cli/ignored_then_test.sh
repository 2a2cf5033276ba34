# What the rules of a checkpoint ignore was not captured with it: a rollback to that leaves it, though the rules of now do not
# ignore it.
. "$SOURCE_DIR/tests/cli/shared.sh"
git init -q

lay() {
        printf '.env\nmodules/\nsub/*.o\n' >.gitignore
        mkdir -p sub modules
        echo secret >.env
        echo m >modules/m.js
        echo o >sub/x.o
        echo f >f
}
there() {
        same "$(cat .env modules/m.js sub/x.o | tr '\n' ' ')" 'secret m o '
}

it "a rollback, an undo and a redo leave what their target ignores"
lay
runs 0 pawl checkpoint one
rm .gitignore
echo new >new
runs 0 pawl checkpoint two
runs 0 pawl rollback 1 --yes
says 'leave +modules: ignored' out
there
[ ! -e new ]
runs 0 pawl undo --yes
there
same "$(cat new)" new
[ ! -e .gitignore ]
runs 0 pawl redo --yes
there
[ ! -e new ]

it "an undo leaves what was ignored before its rollback, though it was captured since"
rm -r .gitignore modules sub .env
runs 0 pawl checkpoint three
lay
runs 0 pawl checkpoint four
runs 0 pawl rollback "$(pawl checkpoints --json | jq '.[] | select(.description == "three").n')" --yes
there
runs 0 pawl checkpoint five
runs 0 pawl undo --yes
there
same "$(head -n 1 .gitignore)" .env
runs 0 pawl redo --yes
there

it "an undo removes what its rollback made, though its target ignores it"
rm -rf .gitignore modules sub .env new
mkdir made
echo out >made/out
runs 0 pawl checkpoint made
n=$(pawl checkpoints --json | jq '.[-1].n')
echo made/ >.gitignore
rm -r made
runs 0 pawl checkpoint gone
runs 0 pawl rollback "$n" --yes
same "$(cat made/out)" out
runs 0 pawl undo --yes
[ ! -e made ]
same "$(cat .gitignore)" made/

it "an ignored file that stays in a directory keeps nothing else there: undo and redo are exact"
files() {
        find . -path ./.pawl -prune -o -path ./.git -prune -o ! -name out ! -name err -print | sort | tr '\n' ' '
}
for rule in made/ made/deep/ made; do
        for rules in .gitignore .git/info/exclude; do
                rm -rf .gitignore made && : >.git/info/exclude
                mkdir -p made/deep
                echo a >made/a
                echo b >made/deep/b
                runs 0 pawl checkpoint made
                n=$(pawl checkpoints --json | jq '.[-1].n')
                rm -r made/a made/deep/b
                echo "$rule" >$rules
                echo mine >made/deep/mine
                runs 0 pawl checkpoint gone
                before=$(files)
                runs 0 pawl rollback "$n" --yes
                then=$(files)
                same "$(cat made/a made/deep/b made/deep/mine | tr '\n' ' ')" 'a b mine '
                for again in 1 2 3; do
                        runs 0 pawl undo --yes
                        same "$(files)" "$before"
                        runs 0 pawl redo --yes
                        same "$(files)" "$then"
                done
        done
done
: >.git/info/exclude

it "what the settings include was captured, so that it goes"
mkdir -p .pawl
echo 'include: [.env]' >.pawl/config.yaml
rm -rf .env modules sub
echo .env >.gitignore
runs 0 pawl checkpoint six
n=$(pawl checkpoints --json | jq '.[-1].n')
echo secret >.env
runs 0 pawl checkpoint seven
runs 0 pawl rollback "$n" --yes
[ ! -e .env ]
runs 0 eventlog replay --check

it "a rollback leaves what the lists that its target was taken with leave out"
mkdir listed
cd listed
git init -q
echo .env >.gitignore
echo S >.env
mkdir build
echo o >build/o
mkdir .pawl
echo 'exclude: [build]' >.pawl/config.yaml
runs 0 pawl init --db .pawl/events.db
PAWL_DB=$PWD/.pawl/events.db
runs 0 pawl checkpoint one
echo 'include: [.env]' >.pawl/config.yaml
echo 'exclude: []' >>.pawl/config.yaml
runs 0 pawl checkpoint two
says '2 captured' out
runs 0 pawl rollback 1 --yes
same "$(cat .env build/o | tr '\n' ' ')" 'S o '
