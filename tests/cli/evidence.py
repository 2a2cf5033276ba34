#!/usr/bin/env python3
"""Evidence of a log, checked by other code than that which made it: RFC 6962 as it is written, from the lines of
`eventlog export`.

  evidence.py leaves EXPORT              the leaves, a line each
  evidence.py note EXPORT NOTE           its size and root are those of the events
  evidence.py proof EXPORT PROOF [SEQ]   a C2SP tlog-proof of an event
  evidence.py growth EXPORT OLD PROOF    a consistency proof from an older note to that of the proof
  evidence.py tiles EXPORT DIRECTORY     all tiles and entries are there and right
  evidence.py body NOTE / signature NOTE what `openssl pkeyutl` is to verify
Exit 1 and a line where something is wrong."""
import base64, hashlib, json, os, sys


def leaf_texts(path):
    for line in open(path, encoding='utf-8'):
        event = json.loads(line)
        payload = event.pop('payload')
        given = event.pop('payload_hash', None)
        for name in ('prev', 'hash', 'mac'):
            event.pop(name, None)
        text = json.dumps(payload, separators=(',', ':'), ensure_ascii=False, sort_keys=True)
        event['payload_hash'] = given or hashlib.sha256(text.encode()).hexdigest()
        yield json.dumps(event, separators=(',', ':'), ensure_ascii=False, sort_keys=True).encode()


def sha(data):
    return hashlib.sha256(data).digest()


def mth(hashes):
    if not hashes:
        return sha(b'')
    if len(hashes) == 1:
        return hashes[0]
    k = 1
    while k * 2 < len(hashes):
        k *= 2
    return sha(b'\1' + mth(hashes[:k]) + mth(hashes[k:]))


def root_of_path(hash, index, size, path):
    """RFC 9162, 2.1.3.2."""
    fn, sn = index, size - 1
    for p in path:
        assert sn, 'the path is too long'
        if fn & 1 or fn == sn:
            hash = sha(b'\1' + p + hash)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            hash = sha(b'\1' + hash + p)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0, 'the path is too short'
    return hash


def check_growth(first, second, first_hash, second_hash, path):
    """RFC 9162, 2.1.4.2."""
    if first in (0, second):
        assert not path and (first == 0 or first_hash == second_hash)
        return
    if first & (first - 1) == 0:
        path = [first_hash] + path
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        assert sn, 'the path is too long'
        if fn & 1 or fn == sn:
            fr, sr = sha(b'\1' + c + fr), sha(b'\1' + c + sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = sha(b'\1' + sr + c)
        fn, sn = fn >> 1, sn >> 1
    assert fr == first_hash and sr == second_hash and sn == 0


def note_of(text):
    origin, size, root = text.split('\n')[:3]
    assert origin and str(int(size)) == size
    return int(size), base64.b64decode(root, validate=True)


def tile_path(n):
    path = '%03d' % (n % 1000)
    while n >= 1000:
        n //= 1000
        path = 'x%03d/%s' % (n % 1000, path)
    return path


def check_tiles(leaves, directory):
    wanted = {}
    level, hashes = 0, [sha(b'\0' + leaf) for leaf in leaves]
    while hashes:
        for n in range(0, len(hashes), 256):
            part = hashes[n:n + 256]
            ending = '' if len(part) == 256 else '.p/%d' % len(part)
            wanted['tile/%d/%s%s' % (level, tile_path(n // 256), ending)] = b''.join(part)
            if level == 0:
                wanted['tile/entries/%s%s' % (tile_path(n // 256), ending)] = b''.join(
                    len(leaf).to_bytes(2, 'big') + leaf for leaf in leaves[n:n + 256])
        hashes = [mth(hashes[n:n + 256]) for n in range(0, len(hashes) - 255, 256)]
        level += 1
    for name, content in wanted.items():
        assert open(os.path.join(directory, name), 'rb').read() == content, name
    return len(wanted)


what, args = sys.argv[1], sys.argv[2:]
if what in ('body', 'signature'):
    body, signature = open(args[0], encoding='utf-8').read().rsplit('\n\n', 1)
    dash, name, key = signature.rstrip('\n').split(' ')
    assert dash == '—'
    sys.stdout.buffer.write((body + '\n').encode() if what == 'body' else base64.b64decode(key)[4:])
    sys.exit()
leaves = list(leaf_texts(args[0]))
hashes = [sha(b'\0' + leaf) for leaf in leaves]
if what == 'leaves':
    for leaf in leaves:
        print(leaf.decode())
elif what == 'note':
    size, root = note_of(open(args[1], encoding='utf-8').read())
    assert root == mth(hashes[:size]) and size <= len(hashes), 'another root'
elif what == 'proof':
    head, note = open(args[1], encoding='utf-8').read().split('\n\n', 1)
    first, index, *path = head.split('\n')
    assert first == 'c2sp.org/tlog-proof@v1' and index.startswith('index ')
    index = int(index[6:])
    assert len(args) < 3 or index == int(args[2]) - 1
    size, root = note_of(note)
    assert root == mth(hashes[:size])
    assert root_of_path(hashes[index], index, size, [base64.b64decode(p) for p in path]) == root
elif what == 'growth':
    old, old_root = note_of(open(args[1], encoding='utf-8').read())
    head, note = open(args[2], encoding='utf-8').read().split('\n\n', 1)
    first, *path = head.split('\n')
    assert first == 'old %d' % old
    size, root = note_of(note)
    assert root == mth(hashes[:size])
    check_growth(old, size, old_root, root, [base64.b64decode(p) for p in path])
elif what == 'tiles':
    print(check_tiles(leaves, args[1]))
