# pawl hash: canonical text and hash, by the vectors of RFC 8785 and the two rules beside it.
. "$SOURCE_DIR/tests/cli/shared.sh"

# canonical TEXT WANTED
canonical() {
        printf %s "$1" | pawl hash --canonical >out
        same "$(cat out)" "$2"
}

# refused PATTERN TEXT: exit 1 and one line that says where.
refused() {
        # shellcheck disable=SC2059
        printf -- "$2" >bad.json
        fails 1 "^pawl: bad\.json: line [0-9]+, column [0-9]+: .*$1.*; " pawl hash bad.json
        cp err by_hash
        fails 1 "$1" pawl hash --canonical bad.json
}

it "members are sorted by UTF-16 code units, white space goes, strings keep RFC 8785's escapes"
canonical ' { "b" : 1.0 , "a" : [ true , null , "x" ] } ' '{"a":[true,null,"x"],"b":1}'
canonical '{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}' \
        "$(printf '{"\\r":"Carriage Return","1":"One","\302\200":"Control","\303\266":"Latin Small Letter O With Diaeresis","\342\202\254":"Euro Sign","\360\237\230\200":"Emoji: Grinning Face","\357\254\263":"Hebrew Letter Dalet With Dagesh"}')"
canonical '"\u000f\u000aA'"'"'\u0042\u0022\u005c\\\"\/"' '"\u000f\nA'"'"'B\"\\\\\"/"'

it "numbers print as ECMAScript prints them"
canonical '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]' \
        '[333333333.3333333,1e+30,4.5,0.002,1e-27]'
canonical '[1e21, 1e20, 1e-6, 1e-7, 5.684341886080802e-14, -0, -0.0, 0e5]' \
        '[1e+21,100000000000000000000,0.000001,1e-7,5.684341886080802e-14,0,0,0]'

it "an integer keeps every digit, and two different ones never hash alike"
canonical '[9007199254740991, 9007199254740993, -9007199254740993, 123456789012345678901234567890]' \
        '[9007199254740991,9007199254740993,-9007199254740993,123456789012345678901234567890]'
a=$(echo 9007199254740992 | pawl hash)
b=$(echo 9007199254740993 | pawl hash)
[ "$a" != "$b" ]

it "the hash is SHA-256 over the canonical text, 64 lower-case digits"
same "$(echo '{ "b": 1.0, "a": 2 }' | pawl hash)" \
        "$(printf '{"a":2,"b":1}' | sha256sum | cut -d' ' -f1)"
printf '{"a":"x\\u0000y"}' >zero.json
same "$(pawl hash zero.json)" "$(sha256sum <zero.json | cut -d' ' -f1)"
same "$(pawl hash - <zero.json)" "$(pawl hash zero.json)"

it "what could be read in two ways is refused, with line, column and what to do"
refused '"a" appears twice' '{"a":1,\n "a":2}'
says "line 2, column 2" by_hash
refused "UTF-8" '"\377"'
refused "surrogate" '"\\ud800"'
refused "surrogate" '"\\udc00x"'
refused "" '1e400'
refused "" '01'
refused "" '-01'
refused "" '1.'
refused "" '+1'
refused "" '.5'
refused "" 'NaN'
refused "" "'a'"
refused "" '[1,]'
refused "" '{"a":1,}'
refused "" '1 2'
refused "" '"a\tb"'
refused "" '"a\\x"'
refused "" '"open'
refused "" ''
refused "" '\357\273\2771'
deep=$(printf '[%.0s' {1..513})
refused "512" "$deep$(printf ']%.0s' {1..513})"
printf '%s%s' "$(printf '[%.0s' {1..512})" "$(printf ']%.0s' {1..512})" >deep.json
runs 0 pawl hash deep.json

it "--jsonl takes and prints one a line, and stops at the first bad one, named by its line"
printf '{"b":1,"a":2}\n [1.0]\n"x"' >lines
runs 0 pawl hash --jsonl --canonical lines
same "$(cat out)" "$(printf '{"a":2,"b":1}\n[1]\n"x"')"
runs 0 pawl hash --jsonl lines
same "$(sed -n 2p out)" "$(printf '[1]' | sha256sum | cut -d' ' -f1)"
printf '1\n2\n{"a":1,"a":2}\n4\n' >lines
runs 1 pawl hash --canonical --jsonl lines
same "$(cat out)" "$(printf '1\n2')"
says "^pawl: lines: line 3, column 8: .*appears twice" err
printf '1\n\n2\n' >lines
runs 1 pawl hash --jsonl lines
says "line 2" err

it "--jsonl answers a program at both ends line by line"
coproc answers { pawl hash --jsonl --canonical; }
pid=$answers_PID # which is unset when it has ended
echo '[ 1 ]' >&"${answers[1]}"
read -r -t 5 line <&"${answers[0]}"
same "$line" '[1]'
exec {answers[1]}>&-
wait "$pid"

it "a file that is not there, cannot be read, or is a directory exits 1 with one line"
fails 1 "^pawl: nowhere.json: No such file" pawl hash nowhere.json
mkdir folder
fails 1 "^pawl: folder: " pawl hash folder

it "a document of 10 MB is hashed"
{ printf '['; seq -s, 1 1300000 | tr -d '\n'; printf ']'; } >large.json
same "$(pawl hash large.json)" "$(sha256sum <large.json | cut -d' ' -f1)"
