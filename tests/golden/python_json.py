#!/usr/bin/env python3
"""JSON texts and what json.dumps(sort_keys=True) makes of them: python_vectors.txt.

A line: the text, a tab, the form with ensure_ascii, a tab, the form without.

  tests/golden/python_json.py          the committed sample
  tests/golden/python_json.py full     50,000 numbers and 5,000 documents
"""
import json
import random
import struct
import sys

draw = random.Random(20261122)

NUMBERS = """0 -0 0.0 -0.0 1 -1 1.0 10.0 1.50 1e0 1E+2 100e-2 1e15 1e16 1e17 123456789012345.0 9999999999999998.0
1234567890123456.7 12345678901234567.0 123456789012345678.0 1e21 1e22 1e23 0.1 0.01 0.001 0.0001 0.00001 0.00012345 0.000012345 1e-4 1e-5
1e-7 1.5e-10 5e-324 2.2250738585072014e-308 1.7976931348623157e308 0.30000000000000004 0.9 0.95 9007199254740993
9007199254740993.0 123456789012345678901234567890 -123456789012345678901234567890 4.35 1e100 1.25e-100""".split()

CHARACTERS = [chr(c) for c in range(0x80)] + list("\u0080\u00a0\u00e9\u0100\u07ff\u0800\u2028\u2029\ud7ff\ue000\ufffd\uffff") + [
    "\U00010000", "\U0001f600", "\U0010ffff"]


def number():
    kind = draw.randrange(4)
    if kind == 0:
        return str(draw.randrange(-10**draw.randrange(1, 30), 10**draw.randrange(1, 30)))
    if kind == 1:
        while True:
            value = struct.unpack("<d", draw.randbytes(8))[0]
            if value == value and abs(value) != float("inf"):
                return repr(value)
    if kind == 2:
        return f"{draw.randrange(10**6)}.{draw.randrange(10**6)}"
    return f"{draw.choice(['', '-'])}{draw.randrange(10)}.{draw.randrange(10**4)}e{draw.randrange(-30, 30)}"


def string():
    return "".join(draw.choice(CHARACTERS) for _ in range(draw.randrange(8)))


def document(depth):
    """JSON text, its members in no order, spaces here and there."""
    kind = draw.randrange(7 if depth else 4)
    space = draw.choice(["", " "])
    if kind == 0:
        return number()
    if kind in (1, 2):
        return json.dumps(string(), ensure_ascii=draw.random() < 0.5)
    if kind == 3:
        return draw.choice(["null", "true", "false", "[]", "{}"])
    if kind == 4:
        return "[" + ("," + space).join(document(depth - 1) for _ in range(draw.randrange(4))) + "]"
    names = {string() for _ in range(draw.randrange(6))}
    return "{" + ("," + space).join(
        json.dumps(name) + ":" + space + document(depth - 1) for name in sorted(names, key=lambda _: draw.random())) + "}"


def main():
    full = sys.argv[1:] == ["full"]
    texts = NUMBERS + [json.dumps(c) for c in CHARACTERS]
    texts += [number() for _ in range(50000 if full else 300)]
    texts += ["{" + '"a":1,"k":' + document(4) + "}" for _ in range(5000 if full else 150)]
    out = sys.stdout.buffer
    for text in texts:
        value = json.loads(text)
        line = [text, json.dumps(value, sort_keys=True), json.dumps(value, sort_keys=True, ensure_ascii=False)]
        # a raw DEL or U+2028 is no end of a line here
        out.write("\t".join(line).encode() + b"\n")


main()
