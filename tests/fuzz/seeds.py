#!/usr/bin/env python3
"""First inputs of the targets that take their input apart, one file each: seeds.py FOLDER NAME.

What the bytes mean is said in fuzz_NAME.c and in tests/support (hostile_rows.c, json_values.c).
"""
import os
import sys

EVENTS, TABLES, SCHEMA_CHANGES, COLUMNS = 27, 17, 26, 12
ROWS, LOOSE_ROWS, DAMAGE, DAMAGE_OPEN, KEYED_ROWS, KEYED_DAMAGE = range(6)
KEYLESS, WRITTEN = 64, 128
EVENT, PUT, CHANGE, DELETE, SCHEMA, SQL = 0, 8, 10, 13, 14, 15


def text(string):
    """A value of hostile_rows.c: any text."""
    data = string.encode()
    return bytes([7, len(data)]) + data


def replay():
    for way in range(6):
        yield f"read_{way}", bytes([way])
        yield f"written_{way}", bytes([WRITTEN + way])
        yield f"keyless_{way}", bytes([KEYLESS + WRITTEN + way])
    for event in range(EVENTS):
        yield f"event_{event:02}", bytes([WRITTEN, EVENT, event, 0, 0])
        # one byte more in the middle of the payload
        yield f"edited_{event:02}", bytes([WRITTEN, EVENT, event, 0, 1, 20, 0, 0, 1, 0x22])
    for table in range(TABLES):
        yield f"change_{table:02}", bytes([WRITTEN + LOOSE_ROWS, CHANGE, table, 2, 0]) + text("a\nb")
        yield f"delete_{table:02}", bytes([WRITTEN, DELETE, table, 0, 128])
        yield f"keyed_change_{table:02}", bytes([KEYED_ROWS, CHANGE, table, 1, 0, 6]) + bytes(32)
        yield f"keyed_delete_{table:02}", bytes([KEYED_ROWS, DELETE, table, 0, 3])
    yield "lease", bytes([WRITTEN, PUT, 3, 1, 0, 3]) + b"\xff" * 7 + b"\x7f" + bytes([0, 1] * 12)
    yield "last_seq", bytes([WRITTEN, CHANGE, 0, 0, 18, 3]) + b"\xff" * 7 + b"\x7f"
    for change in range(SCHEMA_CHANGES):
        yield f"schema_{change:02}", bytes([WRITTEN + LOOSE_ROWS, SCHEMA, change])
    yield "renamed", bytes([WRITTEN + LOOSE_ROWS, SCHEMA, 15, SCHEMA, 16])
    yield "sql", (bytes([WRITTEN + LOOSE_ROWS, SQL]) + text("seq") + text("SEQ AS (1), seq")
                  + text("events"))
    for way in (DAMAGE, DAMAGE_OPEN, KEYED_DAMAGE):
        target = [0] if way == DAMAGE_OPEN else []
        for page in (0, 1, 4, 30):
            at = (512 * page + 3).to_bytes(3, "little")
            yield f"damage_{way}_{page}", bytes([WRITTEN + way, *target, *at, 4, 1, 2, 3, 4])
        yield f"cut_{way}", bytes([WRITTEN + way, *target, 0, 40, 0, 255])
    yield "cut_wal", bytes([WRITTEN + DAMAGE_OPEN, 1, 0, 40, 0, 255])
    yield "emptied", bytes([WRITTEN + DAMAGE_OPEN, 0, 0, 0, 0, 255])


def event():
    sample, nothing, number, small, real, word, blob, rest, edited = 0, *range(16, 24)
    for place in range(EVENTS):
        yield f"sample_{place:02}", bytes([place, 0, place])
        yield f"edited_{place:02}", (bytes([place, 0, place]) + bytes(9)
                                     + bytes([edited, 1, 20, 0, 0, 1, 0x22]))
        yield f"newer_{place:02}", bytes([place, 0, place, 0, 0, small, 2])
    for column in range(COLUMNS):
        for name, kind in (("nothing", [nothing]), ("number", [number] + [255] * 8),
                           ("real", [real] + [63] * 8), ("word", [word, 3, 0x61, 0x0a, 0x62]),
                           ("blob", [blob, 2, 1, 255]), ("bytes", [word, 2, 0xc3, 0x28])):
            yield f"{name}_{column:02}", bytes([0, 0, 8]) + bytes(column) + bytes(kind)
    for name, payload in (("not_json", b"{"), ("not_object", b"[]"), ("lines", b"{\n}"),
                          ("twice", b'{"a":1,"a":2}'), ("empty", b"")):
        yield name, bytes([0, 0, 8]) + bytes(9) + bytes([rest]) + bytes(0) + payload


def canon():
    for kind in range(7):
        yield f"kind_{kind}", bytes([3, kind, 0x31, 0x32, 0x33, 0x34, 0x80 + kind, *range(9), 1, 2])
        yield f"long_{kind}", bytes([9, 0x80 + kind, 0xc0, 0xff]) + bytes(range(256))
    yield "nested", bytes([2]) + bytes([0x80 + 5, 1] * 300) + bytes([0])
    yield "members", bytes([0, 6 + 0x80 + 4, 3, 2, 0x61, 0xe0, 2, 1, 0, 0xd0, 3, 3, 9, 5, 0, 0, 0,
                            2, 2, 0x62, 0x63, 4, 3, 0x41, 0x42, 0x43, 3, 9, 9, 1, 2, 3, 4, 5, 6])


def plan():
    """As workspace/rollback/plan.h says."""
    def step(path, before, after):
        return b"s" + len(path).to_bytes(4, "little") + path + before + after

    def left(path, why, skip, wanted):
        return b"x" + len(path).to_bytes(4, "little") + path + bytes([why, skip, wanted])

    nothing, folder = b"\0", b"d" + (0o755).to_bytes(2, "little")
    file = b"f" + (0o644).to_bytes(2, "little") + (7).to_bytes(8, "little") + bytes(range(32))
    link = b"l" + (4).to_bytes(2, "little") + b"a/.."
    head = (b"plan\1" + (3).to_bytes(8, "little") + bytes([1] * 32) + bytes([2] * 32)
            + (9).to_bytes(8, "little") + bytes([3] * 32))
    none = b"\0\0\0"  # no flags, git stays
    yield "empty", head + none
    yield "git", head + b"\1" + (bytes([40]) + b"a" * 40) * 2
    yield "kinds", (head + b"\2\0\0" + step(b"a", folder, nothing) + step(b"a/b", file, nothing)
                    + step(b"b", nothing, link) + step(b"c\xff\n", link, file)
                    + left(b"d", 3, 1, 1) + left(b"e", 1, 0, 0))
    for name, path in (("up", b"../x"), ("absolute", b"/x"), ("dot", b"a/./b"), ("none", b""),
                       ("twice", b"a//b")):
        yield f"path_{name}", head + none + step(path, nothing, file)
    yield "order", head + none + step(b"b", nothing, file) + step(b"a", nothing, file)
    yield "cut", (head + none + step(b"a", nothing, file))[:-1]
    yield "later", b"plan\2" + head[5:] + none
    yield "long", head + none + b"s" + b"\xff\xff\xff\xff"


def toolcall():
    """0: a document, 1: a batch; then its text."""
    call = '"name":"replace","args":{"file_path":"a","old":"\\u0000\\"","n":[1.0,-0,1e2,9007199254740993]}'
    context = '"history":[{"type":"user"}],"clientHistory":[{"role":"model"}],"messageId":"m-1"'
    documents = {
        "least": '{"toolCall":{"name":"a","args":{}}}',
        "whole": '{%s,"commitHash":"cp-01","toolCall":{%s}}' % (context, call),
        "unknown": '{"x":{"y":[null,true,false,{"z":""}]},"toolCall":{"id":7,%s},"":"\u00e9"}' % call,
        "spaces": ' { "toolCall" : { "args" : { } , "name" : "\\ud83d\\ude00" } , "history" : [ ] } ',
        "no_name": '{"toolCall":{"args":{}}}', "no_args": '{"toolCall":{"name":"a"}}',
        "name_number": '{"toolCall":{"name":1,"args":{}}}', "args_array": '{"toolCall":{"name":"a","args":[]}}',
        "history_object": '{"toolCall":{%s},"history":{}}' % call, "null": "null", "array": "[]",
        "hash_null": '{"toolCall":{%s},"commitHash":null}' % call,
        "twice": '{"toolCall":{%s},"toolCall":{}}' % call,
        "deep": '{"toolCall":{"name":"a","args":{"d":%s}}}' % ("[" * 500 + "]" * 500),
    }
    batches = {
        "array": '[{"callId":"c1",%s},{"callId":"../c\\n2","name":"read_file","checkpoint":{}}]' % call,
        "object": '{%s,"calls":[{"callId":"c1",%s,"x":[]}],"note":1.0}' % (context, call),
        "none": "[]", "no_calls": "{}", "calls_object": '{"calls":{}}', "no_id": '[{%s}]' % call,
        "empty_id": '[{"callId":"",%s}]' % call, "long_id": '[{"callId":"%s",%s}]' % ("c" * 600, call),
        "hash": '{"calls":[],"commitHash":"x"}', "dots": '[{"callId":"..","name":".a..b."}]',
    }
    for kind, texts in enumerate((documents, batches)):
        for name, content in texts.items():
            yield f"{('document', 'batch')[kind]}_{name}", bytes([kind]) + content.encode()


def main():
    folder, name = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for seed, data in {"replay": replay, "event": event, "canon": canon, "plan": plan,
                       "toolcall": toolcall}[name]():
        with open(os.path.join(folder, seed), "wb") as file:
            file.write(data)


main()
