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

cd ..
it "the same of git's lists that are no files of the workspace, and of a directory above it, whatever they say now"
export HOME=$PWD/home
mkdir -p home repository/sub/d
unset XDG_CONFIG_HOME
git config --global core.excludesFile '~/excludes'
cd repository
git init -q
printf '%s\n' out err '*.log' >.pawlignore
printf '*.env\n' >"$HOME/excludes"
printf '/sub/d/local\nkept\n' >.git/info/exclude
printf 'above.*\n!above.c\n' >.gitignore
lists() {
        mkdir -p sub/d
        for f in a.env d/local d/above.o d/above.c f; do echo "$1" >"sub/$f"; done
}
lists 1
(cd sub && own_log && printf '%s\n' out err >.pawlignore && runs 0 pawl checkpoint one --root .)
rm "$HOME/excludes" .gitignore
: >.git/info/exclude
cd sub
runs 0 pawl checkpoint two
same "$(pawl show 2 --json | jq -c '[.files, .changed]')" '[6,{"added":0,"removed":0,"modified":0}]'
runs 0 pawl diff 1 2
says '^no difference$' out
for f in a.env d/above.o d/local; do says "^  not captured: $f \(ignored\) in checkpoint 1$" out; done
runs 0 pawl diff 2 1 --json
same "$(jq -c '[.files, [.not_captured[] | [.path, .why, .checkpoint]]]' out)" \
        '[[],[["a.env","ignored",1],["d/above.o","ignored",1],["d/local","ignored",1]]]'
echo new >d/new
runs 0 pawl checkpoint three
runs 0 pawl rollback 1 --yes
for f in a.env d/above.o d/local; do says "^  leave   $f: ignored$" out; done
same "$(cat a.env d/local d/above.o d/above.c f | tr -d '\n')" 11111
[ ! -e d/new ]
runs 0 pawl undo --yes
same "$(cat a.env d/local d/above.o d/new | tr -d '\n')" 111new
runs 0 eventlog verify
same "$(sqlite3 .pawl/events.db "SELECT count(*) FROM blobs WHERE substr(content, 1, 5) = CAST('rules' AS BLOB)")" 1

it "what is ignored since is not said to be removed: it is not captured"
forget_log
rm -rf .pawlignore .pawl d a.env
printf '%s\n' out err >../.git/info/exclude
git -C .. init -q
mkdir -p build/deep
for f in a gone build/x build/deep/y keep.o; do echo 1 >$f; done
own_log
runs 0 pawl checkpoint one --root .
printf 'build/\na\ngone\n' >>../.git/info/exclude
rm gone
runs 0 pawl diff
says '^D  gone ' out
says '^0 added, 0 modified, 1 removed' out
says '^  not captured: a \(ignored\) in the workspace$' out
says '^  not captured: build \(ignored\) in the workspace$' out
lacks 'build/' out
runs 0 pawl diff --json -- build/x
same "$(jq -c '[.files, .not_captured]' out)" '[[],[{"path":"build","why":"ignored","checkpoint":null}]]'
runs 0 pawl checkpoint two
runs 0 pawl diff 1 2 --json # of a checkpoint there is no saying what was there
same "$(jq -c '[.files, [.not_captured[].path]]' out)" '[[],["a","build","gone"]]'
runs 0 pawl diff 1 2 --patch
is_empty out
same "$(pawl checkpoints --json | jq -c '.[-1].changed')" '{"added":0,"removed":0,"modified":0}'
runs 0 pawl show 2
says '^  not captured: build \(ignored\) in checkpoint 2$' out

it "the case of letters counted then as it did"
git -C .. config core.ignoreCase true
printf 'upper\n' >../.git/info/exclude
echo 1 >UPPER
runs 0 pawl checkpoint three
: >../.git/info/exclude
git -C .. config core.ignoreCase false
runs 0 pawl checkpoint four
runs 0 pawl rollback 3 --yes
says '^  leave   UPPER: ignored$' out
same "$(cat UPPER)" 1
