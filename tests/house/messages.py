"""Prints each message of the library that names an option of a program: a program that links it has none. A whole command,
in backticks, may have options."""

import pathlib
import re
import sys

LIBRARY = ("base", "document", "events", "state", "checkpoint", "glossary", "pipeline", "workspace", "session", "mission", "threads", "toolcalls")
# The first words of a patch, and ends of commands whose backticks are in another string.
NO_MESSAGES = ("diff --git", "--actor", "--pick %", ", or --define TEXT", "--answer TEXT", "--define TEXT", "--pick N", "--pick", "--sign KEY", "pawl session resume --take-over", "pawl resume --wait")

top = pathlib.Path(sys.argv[1])
seen = found = 0
for folder in LIBRARY:
    for path in sorted((top / folder).rglob("*.c")):
        text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), path.read_text(), flags=re.S)
        for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', text):
            seen += 1
            said = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group()))
            if said.strip() not in NO_MESSAGES and re.search(r"(^|[\s(])--[a-z]", re.sub(r"`[^`]*`", "", said)):
                found += 1
                print(f"{path.relative_to(top)}:{text[:match.start()].count(chr(10)) + 1}: {said}")
if seen < 3000:
    sys.exit(f"the sources were not understood: {seen} strings")
sys.exit(1 if found else 0)
