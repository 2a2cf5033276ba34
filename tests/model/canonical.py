"""Canonical JSON (RFC 8785), for the judge of histories and what makes histories for it."""
import json


def number(text):
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 1e21 else value


def canonical(value, encode=json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode):
    """RFC 8785, but that integers keep their digits. What Python writes in another way is done slowly."""
    text = encode(value)
    if "e-" in text or not text.isascii() and max(text) > "\uffff":
        text = canonical_slowly(value)
    return text.encode()


def canonical_slowly(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical_slowly(name) + ":" + canonical_slowly(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_slowly, value)) + "]"
    if isinstance(value, float) and 1e-6 <= abs(value) < 1e-4:
        digits, exponent = repr(abs(value)).split("e-")
        return "-" * (value < 0) + "0." + "0" * (int(exponent) - 1) + digits.replace(".", "")
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("e-0", "e-") if isinstance(value, float) else text
