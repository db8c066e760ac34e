#!/usr/bin/env python3
"""Bytes that other users can write are not passed to code that trusts them: the Hyperscan databases in
.krdb files and in cache folders. The test changes databases and recomputes all checksums, those of kr
and of Hyperscan; or it uses complete databases of other rules, so that the labels show whether one
was used. Files and folders with the names of shipped rulesets do not replace these rulesets.

    KR=build/tools/kr/kr tests/cli/check_trust.py
"""
import ctypes
import os
import pathlib
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

KR = pathlib.Path(os.environ["KR"]).resolve()
SHARE = KR.parent.parent / "share" / "kr"
ROOT_USER = os.geteuid() == 0
NOBODY = 65534

TRACE = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n1000,500,1,0,7,gemm_a\n1600,50,2,0,7,relu\n"
RULES = 'labels substage { gemm misc }\nengine e "E" { substage { gemm: "gemm" | /\\bmm_\\d+x/ misc: otherwise } }\n'
# As many patterns, so that its database could be that of RULES, but with other labels for all names.
OTHERS = RULES.replace('"gemm"', '"relu"')

failures = []
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print("FAILED:", what)


# ---------------------------------------------------------------- forging

class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXH3 = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
XXH3.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
XXH3.restype = Hash128


def hash128(data):
    digest = XXH3(data, len(data))
    return struct.pack("<QQ", digest.high, digest.low)


def crc32c(data):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
        table.append(value)
    crc = 0
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xff]
    return crc


def text(data):
    return struct.pack("<Q", len(data)) + data


MAGIC = b"kr database 3\n"


def texts(data, at):
    size = struct.unpack_from("<Q", data, at)[0]
    return data[at + 8:at + 8 + size], at + 8 + size


class DatabaseFile:
    """A serialized database, as in a file of the cache."""

    def __init__(self, data):
        self.magic, at = texts(data, 0)
        self.key, at = texts(data, at)
        body, end = texts(data, at + 16)
        assert end == len(data) and hash128(body) == data[at:at + 16]
        refused = struct.unpack_from("<Q", body)[0]
        self.head = body[:8 + 8 * refused]
        self.hyperscan, end = texts(body, len(self.head))
        assert end == len(body)

    def bytes(self):
        body = self.head + text(self.hyperscan)
        return text(self.magic) + text(self.key) + hash128(body) + text(body)

    def altered(self, at):
        """The same with changed bytes of Hyperscan's own data, and a valid checksum."""
        size = struct.unpack_from("<I", self.hyperscan, 8)[0]
        header, code, rest = (self.hyperscan[:32], bytearray(self.hyperscan[32:32 + size]), self.hyperscan[32 + size:])
        assert struct.unpack_from("<I", header, 20)[0] == crc32c(code)
        code[at:at + 16] = b"\xff" * len(code[at:at + 16])
        self.hyperscan = header[:20] + struct.pack("<I", crc32c(code)) + header[24:] + bytes(code) + rest
        return self.bytes()


KRDB = b"\x8bkrdb\r\n\n"


def with_database(krdb, database):
    """A .krdb with another database in it."""
    body, end = texts(krdb, 32)
    assert krdb.startswith(KRDB) and end == len(krdb) and hash128(body) == krdb[16:32]
    at = body.index(text(MAGIC)) - 8
    body = body[:at] + text(database)
    return krdb[:16] + hash128(body) + text(body)


def database_in(krdb):
    body, _ = texts(krdb, 32)
    return texts(body, body.index(text(MAGIC)) - 8)[0]


# ---------------------------------------------------------------- runs

class Folder:
    def __init__(self, path):
        self.path = path
        self.cache = path / "cache"
        for name, content in (("trace.csv", TRACE), ("rules.kr", RULES), ("others.kr", OTHERS)):
            (path / name).write_text(content)
        for name in ("rules", "others"):
            done = self.kr(["compile", f"{name}.kr", "-o", f"{name}.krdb"], cache="")
            assert done.returncode == 0, done.stderr
        self.rules, self.others = ((path / f"{name}.krdb").read_bytes() for name in ("rules", "others"))
        # A database of others.kr, marked as that of rules.kr.
        self.forged = DatabaseFile(database_in(self.others))
        self.forged.key = DatabaseFile(database_in(self.rules)).key

    def kr(self, words, cache=None, program=KR, user=None, environment=None):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.path), "LC_ALL": "C.UTF-8",
                       "KR_CACHE_DIR": str(self.cache) if cache is None else str(cache), **(environment or {}),
                       **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}}
        return subprocess.run([program, *words], cwd=self.path, env=environment, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=60, user=user, group=user, extra_groups=None if user is None else [])

    def labels(self, rules, **more):
        """Which labels gemm_a and relu get: `gemm misc`, or exchanged if a forged database is used."""
        done = self.kr(["classify", "trace.csv", "--rules", rules, "--format", "csv"], **more)
        rows = sorted(line.split(b",") for line in done.stdout.splitlines()[1:])
        return done, b" ".join(row[5] for row in rows).decode()

    def good(self, rules, what, **more):
        done, labels = self.labels(rules, **more)
        check(done.returncode == 0 and labels == "gemm misc", f"{what}: exit {done.returncode}, {labels!r}, {done.stderr[:300]!r}")
        return done

    def databases(self):
        return [path for path in self.cache.iterdir() if path.suffix == ".krhs"] if self.cache.exists() else []


def krdb_files(folder):
    (folder.path / "forged.krdb").write_bytes(with_database(folder.rules, folder.forged.bytes()))
    folder.good("forged.krdb", "a .krdb with the database of other rules")
    check(len(folder.databases()) == 1, "the database compiled from a .krdb is in the cache")
    written = [path.stat().st_mtime_ns for path in folder.databases()]
    folder.good("rules.krdb", "an honest .krdb")
    check([path.stat().st_mtime_ns for path in folder.databases()] == written, "the cache serves a .krdb")
    # The start of Hyperscan's own structures.
    for at in [*range(0, 320, 16), *range(320, 4096, 256)]:
        (folder.path / "altered.krdb").write_bytes(with_database(folder.rules, DatabaseFile(database_in(folder.rules)).altered(at)))
        folder.good("altered.krdb", f"a database altered at {at}")
    for cut in (0, 1, 40):
        (folder.path / "short.krdb").write_bytes(with_database(folder.rules, folder.forged.bytes()[:cut]) if cut else
                                                 folder.rules.replace(MAGIC, b"kr database 0\n"))
        done, _ = folder.labels("short.krdb")
        check(done.returncode in (0, 2), f"a database of {cut} bytes: exit {done.returncode}")


def cache_folders(folder):
    shutil.rmtree(folder.cache, ignore_errors=True)
    folder.good("rules.kr", "a cache that is not there")
    check(stat.S_IMODE(folder.cache.stat().st_mode) == 0o700, "a new cache folder is private")
    file = folder.databases()[0]
    check(stat.S_IMODE(file.stat().st_mode) == 0o600, "files of the cache are private")
    honest = file.read_bytes()
    _, labels = folder.labels("rules.kr")
    check(labels == "gemm misc", "the cache is read")

    def plant():
        file.unlink(missing_ok=True)
        file.write_bytes(folder.forged.bytes())
        file.chmod(0o600)

    plant()
    _, labels = folder.labels("rules.kr")
    check(labels == "misc gemm", f"the user's own cache is trusted (otherwise this test shows nothing): {labels}")
    for mode in (0o620, 0o602, 0o666):
        plant()
        file.chmod(mode)
        folder.good("rules.kr", f"a file of the cache with permissions {mode:o}")
        check(file.read_bytes() == honest and stat.S_IMODE(file.stat().st_mode) == 0o600, f"a file with {mode:o} is replaced")
    plant()
    away = folder.path / "planted"
    file.rename(away)
    file.symlink_to(away)
    folder.good("rules.kr", "a link in the cache")
    check(away.read_bytes() == folder.forged.bytes(), "what a link in the cache leads to stays")
    if file.is_symlink():
        file.unlink()
    for mode in (0o770, 0o707, 0o777, 0o1777):
        plant()
        folder.cache.chmod(mode)
        done = folder.good("rules.kr", f"a cache folder with permissions {mode:o}")
        check(b"can be written by other users" in done.stderr and b"chmod go-w" in done.stderr, f"{mode:o} is said: {done.stderr!r}")
        check(file.read_bytes() == folder.forged.bytes(), "a folder of others is left alone")
        folder.cache.chmod(0o700)
    # A link to a folder of the user is accepted like the folder.
    plant()
    file.write_bytes(honest)
    (folder.path / "link").symlink_to(folder.cache)
    before = file.stat().st_mtime_ns
    folder.good("rules.kr", "a link to a cache", cache=folder.path / "link")
    check(file.stat().st_mtime_ns == before, "a link to a cache is used")
    shutil.rmtree(folder.cache)
    linted = folder.kr(["lint", "others.kr"])
    proofs, = folder.cache.glob("*.krproofs")
    check(stat.S_IMODE(proofs.stat().st_mode) == 0o600, "proofs are private")
    findings, = folder.cache.glob("*.krfindings")
    check(stat.S_IMODE(findings.stat().st_mode) == 0o600, "findings are private")

    def check_altered(file, what):
        kept = file.read_bytes()
        for at in range(0, len(kept), 7):
            findings.unlink()  # where they are known, no proof is needed
            file.write_bytes(kept[:at] + bytes([kept[at] ^ 0x55]) + kept[at + 1:])
            again = folder.kr(["lint", "others.kr"])
            check((again.returncode, again.stdout) == (linted.returncode, linted.stdout), f"{what} altered at {at}")
            check(file.read_bytes() == kept, f"{what} altered at {at} are made again")

    check_altered(proofs, "proofs")
    check_altered(findings, "findings")
    folder.cache.chmod(0o777)
    for verb in (["lint"], ["lint", "--info"], ["diff", "--run", "trace.csv", "rules.kr"], ["why", "relu", "--rules"]):
        done = folder.kr([*verb, "others.kr"])
        check(done.stderr.count(b"can be written by other users") == 1, f"{verb}: the cache folder: {done.stderr!r}")
    folder.cache.chmod(0o700)
    shutil.rmtree(folder.cache)
    folder.good("rules.kr", "a newly made cache")
    if not ROOT_USER:
        print("skipped: caches of other users: only root can give them away")
        return
    for whole in (True, False):
        plant()
        os.chown(file, NOBODY, NOBODY)
        if whole:
            os.chown(folder.cache, NOBODY, NOBODY)
        done = folder.good("rules.kr", "a cache of another user")
        check(not whole or b"belongs to another user" in done.stderr, f"another user's cache is reported: {done.stderr!r}")
        os.chown(folder.cache, 0, 0)
    # Another user links the folder of root, or of any user, into a shared one.
    os.chown(folder.cache, NOBODY, NOBODY)
    os.lchown(folder.path / "link", NOBODY, NOBODY)
    plant()
    folder.good("rules.kr", "a link to another user's cache", cache=folder.path / "link")
    os.chown(folder.cache, 0, 0)


def installations(folder):
    """Files of the install are used without a check, if only their owner can write them."""
    shutil.rmtree(folder.cache)
    prefix = folder.path / "prefix"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "share" / "kr").mkdir(parents=True)
    program = prefix / "bin" / "kr"
    shutil.copy(KR, program)
    for name in ("stdlib", "rulesets"):
        shutil.copytree(SHARE / name, prefix / "share" / "kr" / name)
    shipped = prefix / "share" / "kr" / "rules.krdb"
    shipped.write_bytes(with_database(folder.rules, folder.forged.bytes()))
    for path in (prefix / "share" / "kr", shipped):
        path.chmod(0o755)
    _, labels = folder.labels(str(shipped), program=program)
    check(labels == "misc gemm", f"a .krdb of the install is used as it is: {labels}")
    outside = folder.path / "linked.krdb"
    outside.symlink_to(shipped)
    inside = prefix / "share" / "kr" / "linked.krdb"
    (folder.path / "far.krdb").write_bytes(shipped.read_bytes())
    inside.symlink_to(folder.path / "far.krdb")
    folder.good(str(inside), "a link in the install to another place", program=program)
    for path, mode in ((shipped, 0o664), (prefix / "share" / "kr", 0o777)):
        path.chmod(mode)
        folder.good(str(shipped), f"an install with permissions {mode:o}", program=program)
        path.chmod(0o755)
    folder.good(str(shipped), "the install of another kr")
    # KR_PATH can be set to any folder.
    folder.good(str(shipped), "a folder of KR_PATH", environment={"KR_PATH": str(prefix / "share" / "kr")})


def names(folder):
    """`vllm` is the shipped ruleset for every verb, `./vllm` a path."""
    def same(words, what):
        done = folder.kr(words)
        for path in ("vllm", "sglang"):
            (folder.path / path).mkdir()
        in_the_way = folder.kr(words)
        for path in ("vllm", "sglang"):
            (folder.path / path).rmdir()
            (folder.path / path).write_bytes(folder.rules)
        hijacked = folder.kr(words)
        for path in ("vllm", "sglang"):
            (folder.path / path).unlink()
        for other in (in_the_way, hijacked):
            check((other.returncode, other.stdout) == (done.returncode, done.stdout), f"{what}: {other.returncode}, {other.stderr[:200]!r}")

    same(["diff", "vllm", "sglang"], "kr diff of shipped rulesets")
    same(["classify", "trace.csv", "--rules", "vllm", "--format", "csv"], "--rules of a shipped ruleset")
    same(["export", "vllm", "--skip-inexpressible"], "kr export of a shipped ruleset")
    same(["list", "models", "--rules", "vllm"], "kr list of a shipped ruleset")
    (folder.path / "vllm").mkdir()
    shutil.copy(folder.path / "trace.csv", folder.path / "vllm" / "trace.csv")
    done = folder.kr(["diff", "./vllm", "./vllm"])
    check(b"./vllm" in done.stderr, f"./vllm is a path: {done.stderr!r}")


def main():
    with tempfile.TemporaryDirectory(prefix="kr-trust-") as work:
        folder = Folder(pathlib.Path(os.path.realpath(work)))
        krdb_files(folder)
        cache_folders(folder)
        installations(folder)
        names(folder)
    print(f"{checks} checks, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
