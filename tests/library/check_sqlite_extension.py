#!/usr/bin/env python3
"""The extension of SQLite, in SQLite's own shell: kr_label gives the same labels as `kr why`.

    check_sqlite_extension.py KR.SO RULES_FOLDER KR
"""
import json
import os
import subprocess
import sys

EXTENSION, FOLDER, KR = sys.argv[1:]
ENVIRONMENT = {**os.environ, "KR_PATH": FOLDER}
NAMES = ["ampere_bf16_s16816gemm_bf16_128x64", "ncclDevKernel_AllReduce_Sum_bf16", "[CUDA memcpy Host-to-Device]",
         "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>()", "it's nothing known", ""]


def sql(*statements):
    return subprocess.run(["sqlite3", "-bail", ":memory:", f".load {EXTENSION.removesuffix('.so')}", *statements],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def known(name, dimension, *of):
    """The usual outcome in `kr why`."""
    options = [word for pair in zip(("--engine", "--model"), of) for word in pair]
    done = subprocess.run([KR, "-q", "why", name, *options, "--format", "json"], env=ENVIRONMENT, capture_output=True,
                          text=True, check=True)
    return [row["label"] for row in json.loads(done.stdout)["tables"]["explanations"]
            if row["dimension"] == dimension][0]


def main():
    checked = 0
    for of in ((), ("vllm",), ("vllm", "llama")):
        for name in NAMES[:-1]:
            for dimension in ("kind", *(["stage", "substage"] if of else [])):
                words = ", ".join(map(quoted, (name, dimension, *of)))
                done = sql(f"SELECT kr_label({words})")
                assert done.returncode == 0, done.stderr
                assert done.stdout == known(name, dimension, *of) + "\n", (name, dimension, of, done.stdout)
                checked += 1
    done = sql("CREATE TABLE k (name)", "INSERT INTO k VALUES ('gemm_a'), ('gemm_b'), (NULL), (x'67656d6dff')",
               "SELECT coalesce(kr_label(name, 'substage', 'vllm'), '-'), count(*) FROM k GROUP BY 1 ORDER BY 1")
    assert done.stdout == "-|1\ngemm|3\n", (done.stdout, done.stderr)
    for statement, part in (("SELECT kr_label('a', 'nothing', 'vllm')", "nothing"), ("SELECT kr_label('a', 'kind', 'vlmm')", "vllm"),
                            ("SELECT kr_label('a')", "wrong number of arguments")):
        done = sql(statement)
        assert done.returncode != 0 and part in done.stderr, (statement, done)
    # Not from the schema of a database, which may come from an unknown source.
    done = sql("CREATE VIEW v AS SELECT kr_label('a', 'kind') AS x", "SELECT * FROM v")
    assert done.returncode != 0 and "unsafe use" in done.stderr, done
    print(f"{checked} labels are those of `kr why`")


if __name__ == "__main__":
    main()
