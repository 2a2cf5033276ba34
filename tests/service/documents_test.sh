# Needs PAWL_WITH_GIT, PAWL_WITH_ARCHIVE.
# Documents of other programs are restored over HTTP; what the operator switched off stays off.
. "$SOURCE_DIR/tests/cli/shared.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
mkdir work documents history
cd work
echo one >a.txt
printf 'mission: m\nworkspace: {tool_checkpoints: on}\nsteps: [{id: s, run: [sh, -c, "echo $PAWL_TOOL_CHECKPOINTS >told"]}]\n' >on.yaml
# as Gemini CLI keeps them: a repository of its own, and documents beside it
git -C ../history init -q -b main
cp a.txt on.yaml ../history
git -C ../history add -A
git -C ../history commit -qm one
printf '{"history":[],"clientHistory":[],"commitHash":"%s","toolCall":{"name":"write_file","args":{"file_path":"a.txt"}}}' \
        "$(git -C ../history rev-parse HEAD)" >../documents/own.json
echo '{"toolCall":{"name":"replace","args":{}}}' >../documents/plain.json
ln -s own.json ../documents/link.json
runs 0 pawl init
runs 0 pawl checkpoint

it "documents that the operator's directory has are restored, by a command and by a tool"
PYTHONPATH="$SOURCE_DIR/tests/service" PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE_DIR/tests/service/documents.py"
runs 0 eventlog replay --check
