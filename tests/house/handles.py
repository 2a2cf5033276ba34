"""Prints a C program that calls every public function that takes a handle, as the headers declare it.

    ./handles null DIRECTORY      with NULL for its handles: PAWL_EINVAL, or nothing happens
    ./handles forked DIRECTORY    in a child of the process that opened them: PAWL_ESTATE
    ./handles texts DIRECTORY     with NULL for each text in turn: no crash
    ./handles outside DIRECTORY   the parent still works after all its children closed their copies
"""

import pathlib
import re
import sys

HANDLES = {"pawl_log": "lg", "pawl_cursor": "cu", "pawl_pipeline": "pl", "pawl_context": "cx", "pawl_mission": "mi", "pawl_threads": "th",
           "pawl_rollback_plan": None, "pawl_toolcalls": None, "pawl_toolcall": None}
TEXTS = {"retry_token": "00000000-0000-4000-8000-000000000001", "token": "00000000-0000-4000-8000-000000000001", "strictness": "off",
         "json": "{}", "payload": "{}", "output": "{}", "inputs": "{}", "type": "StepFailed", "status": "completed", "reason": "manual",
         "name": "extraction", "scope": "team_domain", "path": "no/such/file"}
CLOSING = {"pawl_log_close", "pawl_cursor_close", "pawl_pipeline_free", "pawl_context_free", "pawl_mission_free", "pawl_threads_close"}

source = "".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
                 for path in sorted(pathlib.Path(sys.argv[1]).glob("*.h")) if path.name != "cjson.h")
functions = re.findall(r"PAWL_EXTERN\s+([^;{]*?)\b(pawl_\w+)\s*\(([^;]*?)\)\s*;", source)


def argument(declaration):
    """The kind of an argument, and what to pass: text, handle, or anything else."""
    match = re.fullmatch(r"(const )?((?:unsigned )?\w+) (\**)(const \*)?(\w+)(\[\w+\])?", declaration)
    if not match:
        sys.exit(f"not understood: {declaration}")
    const, kind, stars, more, name, room = match.groups()
    if room:
        return "other", f"({kind}[512]){{0}}"
    if more or (const and kind == "void"):
        return "other", "NULL"
    if stars == "*" and kind in HANDLES:
        return "handle", HANDLES[kind] or "NULL"
    if name == "files":  # without them, a log is needed
        return "other", "NULL"
    if const and kind == "char":
        return "text", f'"{TEXTS.get(name, "r")}"'
    if stars == "**":
        return "other", f"&({const or ''}{kind} *){{NULL}}"
    if stars and kind == "void":
        return "other", "NULL"
    if const and stars and kind in ("pawl_layer", "pawl_event", "pawl_answer", "pawl_conflict_answer", "pawl_thread_checkpoint"):
        return "other", f"&({kind}){{0}}"
    if kind == "pawl_event_filter":
        return "other", "&(pawl_event_filter)PAWL_EVENT_FILTER_INIT"
    if const and stars:
        return "other", "NULL"
    if stars:
        return "other", f"&({kind}){{0}}"
    if kind == "pawl_text":
        return "other", '(pawl_text){"r", 1}'
    if kind.endswith("_fn"):
        return "other", "NULL"
    return "other", f"({kind})0"


def main():
    cases, null, texts = [], [], []
    for result, name, arguments in functions:
        result = " ".join(result.replace("PAWL_MUST_CHECK", "").split())
        fails = result == "pawl_status" and name != "pawl_context_fail"
        given = [argument(" ".join(one.split())) for one in arguments.split(",")] if arguments != "void" else []
        if not any(kind == "handle" for kind, _ in given):
            continue

        def call(values):
            return f"{name}({', '.join(values)})"

        values = [value for _, value in given]
        none = ["NULL" if kind == "handle" else value for kind, value in given]
        number = len(null)
        if fails:
            null.append(f'case {number}: return check("{name}", {call(none)}, PAWL_EINVAL);')
        elif name.endswith("_errmsg"):
            null.append(f'case {number}: return {call(none)} ? 0 : 1;')
        else:
            null.append(f"case {number}: (void){call(none)}; return 0;")
        if fails and all(value != "NULL" for kind, value in given if kind == "handle"):
            cases.append(f'case {len(cases)}: return check("{name}", {call(values)}, PAWL_ESTATE);')
        for i, (kind, _) in enumerate(given):
            if kind == "text" and name not in CLOSING:
                values = [value for _, value in given]
                values[i] = "NULL"
                texts.append(f'case {len(texts)}: puts("{name}"); fflush(stdout); (void)!{call(values)}; return 0;' if fails else
                             f"case {len(texts)}: return 0;")
    if len(null) < 110 or len(cases) < 90:
        sys.exit(f"the headers were not understood: {len(null)} functions")
    template = pathlib.Path(__file__).with_suffix(".c").read_text()
    for mark, lines in (("NULL_CASES", null), ("FORKED_CASES", cases), ("TEXT_CASES", texts)):
        template = template.replace(f"/* {mark} */", "\n".join(f"        {line}" for line in lines))
    print(template)


main()
