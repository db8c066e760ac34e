#!/usr/bin/env python3
"""examples/dask_ranks.py, with workers that are processes: the runs are, to the bit, those of one process.

    PYTHONPATH=build/python KR_SOURCE=. python3 tests/python/check_dask.py
"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import distributed  # noqa: F401
except ImportError:
    print("python3-distributed is missing")
    sys.exit(77)
import kr

SOURCE = pathlib.Path(os.environ["KR_SOURCE"]).resolve()
RANKS = 64 if "KR_LONG" in os.environ else 6
sys.path.insert(0, str(SOURCE / "examples"))
import dask_ranks  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    ranks = folder / "ranks"
    ranks.mkdir()
    for rank in range(RANKS):
        subprocess.run([sys.executable, SOURCE / "tests/data/make_traces.py", "--csv", ranks / f"rank_{rank}.csv", "--rows",
                        str(200 + rank)], check=True)
    shown = subprocess.run([sys.executable, SOURCE / "examples/dask_ranks.py", ranks, folder / "dask.krun", "2"],
                           capture_output=True, text=True, check=True).stdout
    assert "substage" in shown or "label" in shown, shown
    alone = folder / "alone"
    alone.mkdir()
    parts = [dask_ranks.save_run(str(path), str(alone)) for path in sorted(ranks.iterdir())]
    assert kr.merge(parts, folder / "alone.krun") == RANKS
    assert (folder / "dask.krun").read_bytes() == (folder / "alone.krun").read_bytes()
    # As one session that reads the traces themselves.
    rules = kr.Rules.load("vllm", "generic")
    session = kr.Session(rules)
    for path in sorted(ranks.iterdir()):
        session.add(path, "vllm")
    merged = kr.Session(rules).add(folder / "dask.krun")
    # But for what runs are called: by their files.
    for id in ("labels", "kernels", "devices"):
        rows = [sorted(repr({**row, "run": ""}) for row in one.tables[id].dicts()) for one in (session, merged)]
        assert rows[0] == rows[1] and rows[0], id
    assert sum(row["instances"] for row in merged.tables["kernels"].dicts()) == sum(200 + rank for rank in range(RANKS))
print(f"{RANKS} ranks: the same as one process")
