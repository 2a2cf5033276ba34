# pawl hooks install, uninstall and status for an agent: its settings keep all that is not ours.
. "$SOURCE_DIR/tests/cli/shared.sh"
export HOME=$PWD/home
unset CODEX_HOME CLAUDE_CONFIG_DIR
mkdir home project
cd project

it "each agent's file is made, has a hook for each of its events, and goes again with its directory"
while read -r agent file events; do
        runs 0 pawl hooks install --agent "$agent"
        says "^$file: .* gets its hooks" out
        same "$(jq -c '.hooks | keys_unsorted' "$file")" "$events"
        same "$(jq -r '[.. | .command? // empty] | unique[]' "$file" | grep -cE "pawl hook --agent $agent\$")" 1
        cp "$file" ../before
        runs 0 pawl hooks install --agent "$agent"
        says 'are there already$' out
        cmp "$file" ../before
        same "$(pawl hooks status --agent "$agent" --json | jq -c '.[0] | [.scope,.installed,.events]')" "[\"project\",true,$events]"
        runs 0 pawl hooks uninstall --agent "$agent"
        [ ! -e "${file%%/*}" ]
        runs 0 pawl hooks uninstall --agent "$agent"
        says 'has no hooks of pawl$' out
done <<'END'
claude .claude/settings.json ["PreToolUse","SessionStart","PreCompact","Stop","SessionEnd"]
codex .codex/hooks.json ["PreToolUse","SessionStart","PreCompact","Stop"]
gemini .gemini/settings.json ["BeforeTool","SessionStart","PreCompress","AfterAgent","SessionEnd"]
vscode .github/hooks/pawl.json ["PreToolUse","SessionStart","PreCompact","Stop"]
cursor .cursor/hooks.json ["preToolUse","beforeShellExecution","sessionStart","preCompact","stop","sessionEnd"]
END

it "tools that are named beside the known ones are in the matcher and the command, and go again exactly"
mkdir .pawl
pawl init . >out
echo 'edit_tools: [mcp__git__commit]' >.pawl/config.yaml
while read -r agent file event; do
        for text in '' '{}' '{"hooks": {"Stop": []}, "z": [1]}'; do
                rm -f "$file"
                [ -z "$text" ] || { mkdir -p "${file%/*}" && echo "$text" >"$file" && cp "$file" ../before; }
                PAWL_EDIT_TOOLS=mcp__fs__write_file runs 0 pawl hooks install --agent "$agent"
                cp "$file" ../with
                same "$(jq -r ".hooks.$event[] | select(.matcher).matcher" "$file" | grep -c '|mcp__fs__write_file|mcp__git__commit$' || true)" \
                        "$(case $agent in claude | gemini) echo 1 ;; *) echo 0 ;; esac)"
                PAWL_EDIT_TOOLS=mcp__fs__write_file runs 0 pawl hooks install --agent "$agent"
                says 'are there already$' out
                cmp "$file" ../with
                same "$(pawl hooks status --agent "$agent" --json | jq '.[0].installed')" true
                PAWL_EDIT_TOOLS=other runs 0 pawl hooks install --agent "$agent"
                same "$(grep -c "PAWL_EDIT_TOOLS=other,mcp__git__commit " "$file")" "$(grep -c 'hook --agent' "$file")"
                mv .pawl/config.yaml ../kept.yaml
                runs 0 pawl hooks install --agent "$agent"
                lacks 'other|PAWL_EDIT_TOOLS|mcp__git' "$file"
                mv ../kept.yaml .pawl/config.yaml
                runs 0 pawl hooks uninstall --agent "$agent"
                if [ -n "$text" ]; then cmp "$file" ../before; else [ ! -e "$file" ]; fi
        done
        rm -rf "${file%%/*}"
done <<'END'
claude .claude/settings.json PreToolUse
codex .codex/hooks.json PreToolUse
gemini .gemini/settings.json BeforeTool
vscode .github/hooks/pawl.json PreToolUse
cursor .cursor/hooks.json preToolUse
END
PAWL_EDIT_TOOLS=c++.run,plain runs 0 pawl hooks install --agent claude
matcher=$(jq -r '.hooks.PreToolUse[0].matcher' .claude/settings.json)
jq -en --arg m "^($matcher)$" '["c++.run", "plain", "Edit"] | all(test($m))' >/dev/null
jq -en --arg m "^($matcher)$" '["ccrun", "c++xrun", "cc.run"] | any(test($m)) | not' >/dev/null
runs 0 pawl hooks uninstall --agent claude
PAWL_EDIT_TOOLS='a b' fails 1 '^pawl: tool a b: is not a name of a tool; write letters' pawl hooks install --agent claude
remove_log
PAWL_EDIT_TOOLS=mcp__fs__write_file runs 0 pawl hooks install --agent claude
git init -q .
jq -nc --arg cwd "$PWD" '{session_id:"s",cwd:$cwd,hook_event_name:"PreToolUse",tool_name:"mcp__fs__write_file"}' |
        sh -c "$(jq -r '.hooks.PreToolUse[0].hooks[0].command' .claude/settings.json)" >out 2>err
same "$(pawl checkpoints --json | jq length)" 1
remove_log
rm -r .git .claude

it "status says where the agent's hooks are switched off"
while read -r agent installed file text; do
        runs 0 pawl hooks install --agent "$agent"
        same "$(pawl hooks status --agent "$agent" --json | jq '.[0].disabled_by')" null
        mkdir -p "${file%/*}"
        if [ -e "$file" ]; then jq ". + $text" "$file" >../new && cp ../new "$file"; else printf "$text" >"$file"; fi
        same "$(pawl hooks status --agent "$agent" --json | jq -c '.[0] | [.installed,.disabled_by]')" "[true,\"$file\"]"
        pawl hooks status --agent "$agent" >out
        says "installed, but hooks are disabled: .* in $file\$" out
        rm -f "$installed" "$file"
done <<'END'
claude .claude/settings.json .claude/settings.local.json {"disableAllHooks": true}
claude .claude/settings.json .claude/settings.json {"disableAllHooks":true}
gemini .gemini/settings.json .gemini/settings.json {"hooksConfig":{"enabled":false}}
codex .codex/hooks.json .codex/config.toml model = "x"\n[features]\nhooks = false # none\n
codex .codex/hooks.json .codex/config.toml features.hooks = false
codex .codex/hooks.json .codex/config.toml features . "hooks"=false\n[other]\nx = 1
codex .codex/hooks.json .codex/config.toml # a\r\n\r\n[ 'features' ] # b\r\n"hooks"=false\r\n
codex .codex/hooks.json .codex/config.toml features = { other = true, hooks = false }
codex .codex/hooks.json .codex/config.toml [features]\nother = true\n[features.deep]\nhooks = true\n[features]\nhooks=false
codex .codex/hooks.json .codex/config.toml text = """\nfeatures.hooks = true\n"""\nfeatures.hooks = false
END
mkdir -p .codex
while read -r text; do
        printf "$text" >.codex/config.toml
        same "$(pawl hooks status --agent codex --json | jq '.[0].disabled_by')" null
done <<'END'
hooks = false
[other]\nhooks = false
[features]\n# hooks = false
[features]\nhooks_x = false
x = "features.hooks = false"
[features.deep]\nhooks = false
x = """\nfeatures.hooks = false\n"""
features.hooks = true
features = {deep = {hooks = false}}
[features
END
mkdir -p .claude "$HOME/.claude"
echo '{"disableAllHooks": true}' >"$HOME/.claude/settings.json"
echo '{"disableAllHooks": false}' >.claude/settings.json
same "$(pawl hooks status --agent claude --json | jq -c 'map(.disabled_by)')" '[null,null]'
rm .claude/settings.json
same "$(pawl hooks status --agent claude --json | jq -r '.[0].disabled_by')" "$HOME/.claude/settings.json"
rm -r .claude "$HOME/.claude" .gemini .codex

it "what stands in the settings stays as it is, and after an uninstall the file is what it was, byte for byte"
mkdir .claude
settings=.claude/settings.json
while IFS= read -r text; do
        printf "$text" >$settings
        cp $settings ../before
        runs 0 pawl hooks install --agent claude
        cp $settings ../with
        same "$(grep -o 'pawl hook --agent claude' $settings | wc -l)" 5
        runs 0 pawl hooks install --agent claude
        cmp $settings ../with
        same "$(pawl hooks status --agent claude --json | jq '.[0].events | length')" 5
        runs 0 pawl hooks uninstall --agent claude
        cmp $settings ../before
done <<'END'
{}
{ }
{\n}\n
{\r\n\t"model": "x"\r\n}\r\n
{\n  // a comment, { and "\n  "model": "x", /* "hooks": [ */\n  "hooks": {}\n}\n
{"hooks":{"PreToolUse":[]}}
{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}],"Other":[1,2]},}
{\n  "hooks": {\n    "Stop": [ ],\n  }\n}
{"a":"\\u0022hooks\\u0022","b":[1.0,-2e9,true,null]}
{"hooks":{"Stop":[]},"hooks":{}}
{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/other hook --agent claude"}]}],"Stop":[]}}
END

it "so do those of each agent that has hooks of others at the same events"
while read -r agent file event mine; do
        mkdir -p "${file%/*}"
        while IFS= read -r text; do
                text=${text//EVENT/$event}
                printf "${text//MINE/$mine}" >"$file"
                cp "$file" ../before
                runs 0 pawl hooks install --agent "$agent"
                cp "$file" ../with
                grep -q "pawl hook --agent $agent" "$file"
                ! grep -q MINE ../before || grep -qF "$mine" "$file"
                runs 0 pawl hooks install --agent "$agent"
                cmp "$file" ../with
                same "$(pawl hooks status --agent "$agent" --json | jq '.[0].installed')" true
                runs 0 pawl hooks uninstall --agent "$agent"
                cmp "$file" ../before
        done <<'TEXTS'
{"hooks": {"EVENT": [MINE]}}
\xef\xbb\xbf{\r\n  "hooks": {\r\n    "EVENT": [\r\n      MINE,\r\n      MINE\r\n    ]\r\n  },\r\n  "z": 1\r\n}\r\n
// top\n{ /* a */ "hooks" /* b */ : /* c */ { // d\n "EVENT" : [ // e\n MINE // f\n , ] /* g */ } /* h */ }\n// end
{"hooks": {"EVENT": [MINE,],},\n}
{"hooks": {"EVENT": [ /* nothing */ ]}}
{"hooks": {"EVENT": [ // nothing\n]}}
{"hooks": {"EVENT": [5, null, "pawl hook", MINE]}, "é": "\\ud83d"}
TEXTS
        rm -r "${file%%/*}"
done <<'END'
claude .claude/settings.json PreToolUse {"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}
codex .codex/hooks.json PreToolUse {"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}
gemini .gemini/settings.json BeforeTool {"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}
vscode .github/hooks/pawl.json PreToolUse {"type": "command", "command": "mine"}
cursor .cursor/hooks.json preToolUse {"command": "mine"}
END
mkdir -p .claude

it "of hooks that stand there twice, those get ours that a reader takes"
printf '{"hooks":{"Stop":[]},"hooks":{}}' >$settings
runs 0 pawl hooks install --agent claude
same "$(jq '.hooks | length' $settings)" 5
runs 0 pawl hooks uninstall --agent claude

it "an empty file is no settings: it is said, and stays"
: >$settings
fails 1 "^pawl: $settings: is empty; write .* into it" pawl hooks install --agent claude
[ -e $settings ]
is_empty $settings

it "hooks that the agent has written anew are found by their command"
jq -nc '{model:"x",hooks:{PreToolUse:[{matcher:"Bash",hooks:[{type:"command",command:"mine"}]}]}}' >$settings
cp $settings ../before
runs 0 pawl hooks install --agent claude
jq --tab '.hooks.Stop[0].hooks += [{type:"command",command:"mine too"}]' $settings >../anew
cp ../anew $settings
runs 0 pawl hooks uninstall --agent claude
same "$(jq -c . $settings)" \
        '{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine too"}]}],"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}'

it "settings that cannot be read are refused and left as they are"
while IFS= read -r text; do
        printf '%s' "$text" >$settings
        cp $settings ../before
        for verb in install uninstall; do
                fails 1 "$settings: .*; repair it" pawl hooks $verb --agent claude
                cmp $settings ../before
        done
        fails 1 "$settings: .*; repair it" pawl hooks status --agent claude
done <<'END'
{"hooks":
[1]
{"hooks":[]}
{"hooks":{"Stop":{}}}
{} {}
{"a":tru}
{"a":"open}
END

it "a link to the settings stays one, and their mode stays"
mkdir ../dotfiles
echo '{"model": "x"}' >../dotfiles/settings.json
chmod 600 ../dotfiles/settings.json
ln -sf ../../dotfiles/settings.json $settings
runs 0 pawl hooks install --agent claude
[ -L $settings ]
same "$(stat -c %a ../dotfiles/settings.json)" 600
runs 0 pawl hooks uninstall --agent claude
same "$(cat ../dotfiles/settings.json)" '{"model": "x"}'

it "a link that leads nowhere yet is one again"
ln -sf ../../dotfiles/later.json $settings
runs 0 pawl hooks install --agent claude
[ -L $settings ]
[ -f ../dotfiles/later.json ]
runs 0 pawl hooks uninstall --agent claude
[ -L $settings ]
[ ! -e ../dotfiles/later.json ]
rm $settings

it "settings that may not be written are refused, and nothing is said to be done"
bounded=
[ "$(id -u)" -ne 0 ] || bounded="setpriv --bounding-set=-dac_override,-dac_read_search" # root may do all
echo '{"model": "x"}' >$settings
chmod 444 $settings
# shellcheck disable=SC2086
fails 1 "^pawl: $settings: cannot write it: Permission denied; " $bounded pawl hooks install --agent claude
same "$(cat $settings)" '{"model": "x"}'
chmod 644 $settings
runs 0 pawl hooks install --agent claude
cp $settings ../before
chmod 444 $settings
# shellcheck disable=SC2086
fails 1 "^pawl: $settings: cannot write it: Permission denied; " $bounded pawl hooks uninstall --agent claude
cmp $settings ../before
rm -f $settings

it "the user's settings are those of the home directory, or where the agent's variable says"
runs 0 pawl hooks install --agent claude --user
[ -e "$HOME/.claude/settings.json" ]
CODEX_HOME=$PWD/codex runs 0 pawl hooks install --agent codex --user
[ -e codex/hooks.json ]
runs 0 pawl hooks status
says '^Claude Code, user: .*settings.json: installed$' out
runs 0 pawl hooks uninstall --agent claude --user
[ ! -e "$HOME/.claude" ]
[ -d "$HOME" ]

it "a home directory that has nothing else stays, whatever the names on the way to it"
mkdir -p .users/ana
HOME=$PWD/.users/ana runs 0 pawl hooks install --agent claude --user
HOME=$PWD/.users/ana runs 0 pawl hooks uninstall --agent claude --user
same "$(ls -A .users) $(ls -A .users/ana)" "ana "

it "and where there is none, status shows what the variable names"
runs 0 env -u HOME CLAUDE_CONFIG_DIR="$PWD/claude" pawl hooks install --agent claude --user
runs 0 env -u HOME CLAUDE_CONFIG_DIR="$PWD/claude" pawl hooks status --agent claude --user
says '^Claude Code, user: .*/claude/settings.json: installed$' out
fails 1 'there is no home directory' env -u HOME -u CLAUDE_CONFIG_DIR pawl hooks install --agent claude --user
fails 1 'there is no home directory' env -u CLAUDE_CONFIG_DIR HOME= pawl hooks uninstall --agent claude --user

it "wrong usage is said"
misused 'name the agent' pawl hooks uninstall
misused 'agent' pawl hooks install --agent nobody
misused 'wants --agent' pawl hooks install --user
