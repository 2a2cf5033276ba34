"""Each member of a struct that the Node binding gives out is in its list of fields, or is written in another way, and is
declared in index.d.ts. Python has its structs from the headers."""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
THROWN = {("pawl_verify_result", "bad_seq"), ("pawl_verify_result", "why")}  # a log that does not verify rejects with them


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def structs():
    """{struct: {member: its type}} of the public headers."""
    found = {}
    for header in sorted((ROOT / "include/pawl").glob("*.h")):
        text = without_comments(header.read_text())
        for body, name in re.findall(r"typedef struct \w+ \{([^{}]*)\} (pawl_\w+);", text):
            found[name] = {member: line.split()[line.startswith("const ")] + star for line in map(str.strip, body.split(";")) if "(" not in line
                           for star, member in re.findall(r"(\**)\s*(\w+)(?:\[\w+\])?\s*(?:,|$)", line)}
    return found


def camel(name):
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


def problems():
    sources = "\n".join(without_comments(f.read_text()) for f in sorted((ROOT / "bindings/node/src").glob("*.c")))
    script = without_comments((ROOT / "bindings/node/index.js").read_text())
    declared = [set(re.findall(r"(\w+)\??\s*[:(]", without_comments(part)))
                for part in re.split(r"^export ", (ROOT / "bindings/node/index.d.ts").read_text(), flags=re.M)]
    all_structs = structs()
    listed = {}
    for struct, member in re.findall(r"\bFIELD(?:_AS)?\((\w+), (\w+)", sources):
        listed.setdefault(struct, []).append(member)
    yield from (f"{struct}: is in no public header" for struct in listed if struct not in all_structs)
    assert len(listed) > 30, listed
    for struct, fields in listed.items():
        members = all_structs.get(struct, {})
        for member, of in members.items():
            counts = member == "n" or member.startswith("n_") and member[2:] in members
            by_itself = of.startswith("pawl_") and of != "pawl_text" or of == "void*"
            if member not in fields and not counts and (struct, member) not in THROWN and not (by_itself and re.search(rf"(->|\.){member}\b", sources)):
                yield f"{struct}: the Node binding leaves {member} out"
        names = {camel(field) for field in fields if not re.search(rf"delete \w+\.{camel(field)}\b", script)}
        best = max(declared, key=lambda part: len(names & part))
        yield from (f"{struct}: index.d.ts does not declare {name}" for name in sorted(names - best))


found = list(problems())
print("\n".join(found))
sys.exit(bool(found))
