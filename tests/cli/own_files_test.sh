# Needs PAWL_WITH_ARCHIVE.
# The log's own files are no part of any tree, wherever the log lies.
. "$SOURCE_DIR/tests/cli/shared.sh"

# Their names, as this and other file systems may write them.
own=(log.db log.db-wal log.db-shm log.db-journal log.db-lock log.db-logs log.db-saved-1 serve.token serve.notified config.yaml workspace.index
        LOG.DB Log.db-WAL log.db-JOURNAL Serve.Token CONFIG.yaml Workspace.Index.tmp
        $'\u017ferve.token' $'log.db-jour\u200cnal')

# files ARCHIVE: what is in it, but for directories.
files() {
        zstd -dc "$1" | tar xOf - --wildcards 'contents/*' | strings
}

it "a scan takes none of them where the log lies in the root"
pawl=(pawl --db root/log.db)
mkdir -p root/sub
runs 0 "${pawl[@]}" init
for name in "${own[@]:3}"; do
        echo "secret $name" >"root/$name"
done
rm root/log.db-journal # which SQLite would read
echo "# secret settings" >root/config.yaml # which is read, too
printf mine >root/mine
printf 'not the log' >root/sub/config.yaml
runs 0 "${pawl[@]}" checkpoint --root root --json
same "$(jq .files out)" 2
runs 0 "${pawl[@]}" export -o x.tar.zst
files x.tar.zst >contents
lacks secret contents
says 'not the log' contents
runs 0 "${pawl[@]}" checkpoint --json # nor by the index of the first one
same "$(jq .files out)" 2

it "nor a second name of one of them"
ln root/log.db root/hard
ln root/serve.token root/token
runs 0 "${pawl[@]}" checkpoint --json
same "$(jq -c '[.not_captured[] | [.path, .why]]' out)" '[["hard","special"],["token","special"]]'
same "$(jq .files out)" 2
runs 0 "${pawl[@]}" rollback 1 --yes
[ root/hard -ef root/log.db ]
[ root/token -ef root/serve.token ]
runs 0 eventlog --db root/log.db verify

it "a rollback writes none, whatever the tree of an archive says"
mkdir from to
runs 0 pawl init from
for name in "${own[@]}"; do
        echo "hostile $name" >"from/$name"
done
printf good >from/good
runs 0 pawl --db from/.pawl/events.db checkpoint
runs 0 pawl --db from/.pawl/events.db export -o x.tar.zst
files x.tar.zst >contents
same "$(grep -c hostile contents)" "${#own[@]}"
pawl=(pawl --db to/log.db)
runs 0 "${pawl[@]}" init
printf mine >to/mine
runs 0 "${pawl[@]}" checkpoint --root to
runs 0 "${pawl[@]}" import x.tar.zst
runs 0 "${pawl[@]}" rollback 2 --plan
lacks ignored out
says "leave   serve\.token: the log's own, or git's, which no rollback writes; the checkpoint has something there$" out
runs 0 "${pawl[@]}" rollback 2 --yes
same "$(cat to/good)" good
for file in to/*; do
        [ "$file" = to/log.db ] || lacks hostile "$file"
done
for name in "${own[@]:11}" log.db-journal serve.token config.yaml; do
        [ ! -e "to/$name" ]
done
runs 0 eventlog --db to/log.db verify
runs 0 eventlog --db to/log.db replay --check
runs 0 "${pawl[@]}" undo --yes
[ ! -e to/good ]

it "whatever the umask, they are their owner's, and his alone"
mkdir masked
(cd masked && umask 0777 && printf 'mission: m\nsteps: [{id: a, run: ["true"]}]\n' >m.yaml && chmod 600 m.yaml &&
        own_log && pawl run m.yaml && pawl checkpoint) >/dev/null
[ -e masked/.pawl/workspace.index ]
same "$(find masked/.pawl -type f ! -perm 0600 -o -type d ! -perm 0700)" ""

it "a directory of the log in the root, by whatever name, is none of the tree's"
mkdir -p deep/.PAWL deep/data
runs 0 pawl --db deep/data/log.db init
echo secret >deep/.PAWL/x
echo secret >deep/data/y
printf mine >deep/mine
runs 0 pawl --db deep/data/log.db checkpoint --root deep --json
same "$(jq .files out)" 1
