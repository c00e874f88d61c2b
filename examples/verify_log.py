#!/usr/bin/env python3
"""Checks a log of Tollgate without Tollgate, as `spec/audit.md` says. Needs Python 3.9 and nothing else.
Prints `good: ...` and exits with 0, or `bad: record N: ...` with 1, where N is the first bad record."""
import argparse, hashlib, json, os, re, sys

# Ed25519 (RFC 8032, section 5.1). A point is (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z.
P, ORDER, D = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493, -121665 * pow(121666, -1, 2**255 - 19)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P
def times(number, point):
    twice = times(number // 2, add(point, point)) if number > 1 else (0, 1, 1, 0)
    return add(twice, point) if number % 2 else twice
def point(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    x = x if x % 2 == sign else P - x
    return (x, y, 1, x * y % P) if x * x % P == square else None

# Signed heads. Those in checkpoints are signed as such, so that none can be taken for the newest one.
NEWEST, CHECKPOINT = b"tollgate-audit-1\n", b"tollgate-audit-1 checkpoint\n"
HEAD = r'\{"count":\d+,"head":"H{64}","key":"H{64}","log":"H{32}","sig":"H{128}","time":"[^"]+","v":1\}'
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
decode, NUMBER, SALT = json.JSONDecoder().raw_decode, re.compile(rb'"seq":(\d+)}$'), re.compile("[0-9a-f]{32}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")

def as_head(text):
    try:
        head = json.loads(text)
        return head if re.fullmatch(HEAD.replace("H", "[0-9a-f]"), canonical(head)) else None
    except UNREADABLE:
        return None
def is_genuine(head, line=b""):  # In a checkpoint, all that its line says is signed.
    key, sig, message = bytes.fromhex(head["key"]), bytes.fromhex(head["sig"]), line or canonical(head).encode()
    message = (CHECKPOINT if line else NEWEST) + message.replace(b'"sig":"%s",' % head["sig"].encode(), b"", 1)
    s, k, a = (int.from_bytes(n, "little") for n in (sig[32:], hashlib.sha512(sig[:32] + key + message).digest(), key))
    a = point(a % 2**255, a >> 255)
    if s >= ORDER or not a:
        return False
    x, y, z, _ = add(times(s, point(4 * pow(5, -1, P) % P, 0)), times(k % ORDER, (-a[0], a[1], 1, -a[3])))
    return (y * pow(z, -1, P) % P | x * pow(z, -1, P) % P % 2 << 255).to_bytes(32, "little") == sig[:32]

def whole_lines(path):  # What follows the last newline is still being written, and is no line.
    return open(path, "rb").read().split(b"\n")[:-1] if os.path.exists(path) else []
def as_fields(text):  # For each field beside a record, what its commitment is the hash of; None if it was erased.
    at, fields = len('{"fields":{'), {}
    while text[at - 1] != "}":
        name, at = decode(text, at)
        pair, end = decode(text, at + 1)
        fields[name] = pair and bytes.fromhex(SALT.fullmatch(pair[0])[0]) + f"{name}\0{text[at + 37:end - 1]}".encode()
        at = re.compile(" *").match(text, end).end() + 1
    return fields
class Bad(Exception): pass  # Its first argument is the first record that is doubtful, the second says why.
def verify(folder, key, newest, anchors):
    """All that is wrong, as (record, why), and what was unsigned when it was written, as (from, to)."""
    flaws, unsigned, unopened, erasures, retentions, broken = [], [], [], [], [], False
    first, seq, last_hash, last_time = None, 0, "0" * 64, ""  # the first record; the last one
    vouched = anchored = 0  # up to which record a signature speaks, and an anchored head that fits
    log, follows = None, []  # which log this is, and those before it
    signed = lambda by: not any(start <= by <= end for start, end in unsigned)
    def vouch(head, line, at):
        nonlocal log, key, vouched
        log, key = log or head["log"], key or head["key"]
        if (head["log"], head["key"]) != (log, key) or not is_genuine(head, line):
            raise Bad(min(vouched + 1, at), f"from here on nobody with the key wrote this: see {at}")
        vouched = max(vouched, head["count"])
    names = sorted(name[:-4] for name in os.listdir(folder) if re.fullmatch("[0-9]{12}[.]log", name))
    for name in names:
        lines = [(int(n[1]), line) for line in whole_lines(folder + name + ".fields") if (n := NUMBER.search(line))]
        beside, strays = dict(lines), [number for (before, _), (number, _) in zip(lines, lines[1:]) if number <= before]
        for index, line in enumerate(whole_lines(folder + name + ".log")):
            due, is_first = seq + 1 if first else int(name), index == 0
            try:
                record = json.loads(line)
                number, prev, kind, get = record["seq"], record["prev"], record["kind"], record.get
                erasures += [(number, *span, get("names")) for span in get("seqs", ()) if kind == "erasure"]
                retentions += [(number, get("through"), get("head"))] if kind == "retention" else []
                follows += [(number, record["signed"]["log"])] if kind == "follows" else []
                if broken:
                    continue  # Only what was removed is still of interest.
                if record["v"] != 1 or number > due or (is_first and int(name) != due) or (number < due and not first):
                    raise Bad(due, f"it is missing, or of another version: here stands {number}")
                if number < due or (prev != last_hash and (first or number == 1)):
                    raise Bad(seq or number, "it was changed, or the record after it was: they do not fit")
                bad_time = not TIME.fullmatch(record["time"]) or (record["time"] < last_time and not get("recovered"))
                if bad_time or (kind != "checkpoint" and (is_first or number % 256 == 1)):
                    raise Bad(number, "it is older than the one before it, of no time, or should be a checkpoint")
                if kind == "checkpoint":
                    head, was, before = as_head(canonical(record["signed"])), get("recovered", {}), vouched
                    if (head["count"], head["head"]) != (number - 1, prev):
                        raise Bad(number, "the checkpoint does not speak of the records before it")
                    vouch(head, line, number)
                    start, lost, why = was.get("unsigned_from"), was.get("lost_from"), f"{number} says what was lost"
                    unsigned += [(max(start, before + 1), was["unsigned_to"])] if start else []
                    flaws += [(lost if lost >= number else min(lost, before + 1), why)] if lost else []
                first, seq, last_time = first or record, number, record["time"]
                last_hash, said = hashlib.sha256(line).hexdigest(), get("fields", {})
                for head in (h for h in [newest, *anchors] if h and (h["count"], h["log"]) == (seq, log)):
                    at = min((vouched if head is newest else anchored) + 1, seq)
                    flaws += [(at, f"a signed head has another record {seq}")] if head["head"] != last_hash else []
                    anchored = anchored if head is newest else seq
                fields = as_fields(beside.pop(seq).decode()) if said and seq in beside else {}
                unopened += [(seq, field) for field in said if fields.get(field) is None]
                was = {field: fields[field] and hashlib.sha256(fields[field]).hexdigest() for field in fields}
                flaws += [(seq, f"its field {f} was changed") for f in was if (was[f] or said.get(f, 0)) != said.get(f)]
            except (Bad, *UNREADABLE) as bad:
                flaws.append(bad.args if type(bad) is Bad else (due, "it cannot be read"))
                broken = True
        flaws += [(n, "it has no such fields") for n in ([] if broken else strays + list(beside)) if n <= seq]
    flaws += [(seq, "the file `head` is missing or cannot be read")] if names and not newest else []
    try:
        others = {head["log"] for head in anchors if log} - {log}  # heads of a log before this one say nothing of it
        for head in () if broken else filter(lambda head: head and head["log"] not in others, [newest, *anchors]):
            vouch(head, b"", seq)
            if head["count"] > seq:
                raise Bad(seq + 1, f"the end is cut off: there were {head['count']} records")
        unsigned += [(vouched + 1, seq)] if newest and vouched < seq and not broken else []
        if others and not broken and not any(signed(by) and old in others for by, old in follows):
            raise Bad(1, "this is another log than the one that was anchored")
    except Bad as bad:
        flaws.append(bad.args)
    begins = (first["seq"] - 1, first["prev"]) if first else (0, "")
    if begins[0] and not any(signed(by) and (t > begins[0] or (t, head) == begins) for by, t, head in retentions):
        flaws.append((1, "it is missing, and nobody wrote down that it was removed"))
    for seq, field in unopened:
        if not any(seq < by and a <= seq <= b and signed(by) and field in (of or [field]) for by, a, b, of in erasures):
            flaws.append((seq, f"its field `{field}` is gone, and nobody wrote down that it was erased"))
    return flaws or ([] if first else [(1, "there is no record at all")]), unsigned

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("DIR", help="the folder of the log")
options.add_argument("--key", metavar="HEX", help="the public key, as `tollgate log key` prints it")
options.add_argument("--key-file", metavar="FILE", help="a file with the public key")
options.add_argument("--anchor", metavar="FILE", action="append", default=[], help="signed heads, one on a line")
given = options.parse_args()
try:
    key = open(given.key_file).read() if given.key_file else given.key
    key = key if key is None else re.fullmatch("[0-9a-f]{64}", key.strip())[0]
    anchors = [as_head(line) or options.error(f"{path}: not a head") for path in given.anchor for line in open(path)]
    newest = as_head(b"".join(whole_lines(given.DIR + "/head")))
    flaws, unsigned = verify(given.DIR + "/", key, newest, anchors)
except (OSError, *UNREADABLE) as error:
    options.error(f"the folder, the key or an anchor cannot be read: {error}")
print("bad: record %d: %s" % min(flaws) if flaws else f"good: all fits; unsigned when written: {unsigned or 'nothing'}")
sys.exit(bool(flaws))
