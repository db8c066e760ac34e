"""Tests of `import kr`.

    PYTHONPATH=build/python KR_SOURCE=. KR=build/tools/kr/kr python3 tests/python/test_kr.py
"""
import ctypes
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import kr

SOURCE = pathlib.Path(os.environ["KR_SOURCE"])
GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn"
NAMES = [GEMM, "[CUDA memcpy Host-to-Device]", "no rule knows this",
         "void vllm::rms_norm_kernel<c10::BFloat16>(T1 *, const T1 *, const T1 *, float, int, int)"]


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_void_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))), ("private_data", ctypes.c_void_p)]


class ArrowStream(ctypes.Structure):
    pass


ArrowStream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(ArrowStream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))), ("private_data", ctypes.c_void_p)]


def bit(address, place):
    return ctypes.string_at(address + place // 8, 1)[0] >> place % 8 & 1


def cells(array, form):
    """The cells of a column, read as the C data interface says."""
    found = []
    buffers = array.buffers
    for i in range(array.offset, array.offset + array.length):
        if buffers[0] and not bit(buffers[0], i):
            found.append(None)
        elif form == b"U":
            begin, end = struct.unpack("<qq", ctypes.string_at(buffers[1] + 8 * i, 16))
            found.append(ctypes.string_at((buffers[2] or 0) + begin, end - begin).decode() if end > begin else "")
        elif form == b"b":
            found.append(bool(bit(buffers[1], i)))
        else:
            found.append(struct.unpack({b"l": "<q", b"g": "<d"}[form], ctypes.string_at(buffers[1] + 8 * i, 8))[0])
    return found


def read_arrow(table):
    """Columns and rows of a stream."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = table.__arrow_c_stream__()
    stream = ctypes.cast(get(capsule, b"arrow_array_stream"), ctypes.POINTER(ArrowStream))
    schema = ArrowSchema()
    assert stream.contents.get_schema(stream, ctypes.byref(schema)) == 0
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    forms = [schema.children[i].contents.format for i in range(schema.n_children)]
    rows = []
    while True:
        batch = ArrowArray()
        assert stream.contents.get_next(stream, ctypes.byref(batch)) == 0, stream.contents.get_last_error(stream)
        if not batch.release:
            break
        columns = [cells(batch.children[i].contents, form) for i, form in enumerate(forms)]
        rows += list(zip(*columns))
        batch.release(ctypes.byref(batch))
    schema.release(ctypes.byref(schema))
    return names, rows


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.trace = os.path.join(cls.folder.name, "trace.csv")
        subprocess.run([sys.executable, SOURCE / "tests/data/make_traces.py", "--csv", cls.trace, "--rows", "20000"],
                       check=True)
        cls.rules = kr.Rules.load("vllm", "generic")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def session(self, **options):
        return kr.Session(self.rules, **options).add(self.trace, "vllm")

    def test_tables_are_those_of_the_program(self):
        session = self.session()
        out = subprocess.run([os.environ["KR"], "report", f"{self.trace},vllm", "--rules", "vllm", "--rules", "generic",
                              "--format", "json"], capture_output=True, check=True).stdout
        shown = json.loads(out)["tables"]
        compared = 0
        for id in ("labels", "kernels", "devices"):
            self.assertEqual(len(session.tables[id]), len(shown[id]))
            for ours, theirs in zip(session.tables[id].dicts(), shown[id]):
                for key, value in theirs.items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(ours[key], value, delta=abs(value) * 1e-6 + 1e-6)
                    else:
                        self.assertEqual(ours[key], value, (id, key))
                    compared += 1
        self.assertGreater(compared, 50)

    def test_arrow(self):
        for id in ("labels", "notes", "operations"):
            table = self.session().tables[id]
            names, rows = read_arrow(table)
            at = {one.id: i for i, one in enumerate(table.columns)}
            self.assertEqual(names, [one.id for one in table.columns if one.role != "short_form"])
            self.assertEqual(rows, [tuple(row[at[name]] for name in names) for row in table])
        # A stream that nobody reads is released with its capsule, and outlives its session.
        stream = self.session().tables["labels"].__arrow_c_stream__()
        del stream
        try:
            import pyarrow
        except ImportError:
            return
        self.assertEqual(pyarrow.table(table).num_rows, len(table))

    def test_numpy_and_pandas(self):
        try:
            import numpy
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        for id in ("labels", "operations", "notes", "runs"):
            table = self.session().tables[id]
            frame, arrays = table.to_pandas(), table.to_numpy()
            self.assertEqual(list(frame.columns), [one.id for one in table.columns])
            self.assertEqual(len(frame), len(table))
            for i, column in enumerate(table.columns):
                expected = [row[i] for row in table]
                self.assertEqual([None if pandas.isna(one) else one for one in frame[column.id]], expected)
                array = arrays[column.id]
                masked = numpy.ma.getmaskarray(array) if isinstance(array, numpy.ma.MaskedArray) else None
                found = [None if masked is not None and masked[j] else one for j, one in enumerate(array.tolist())]
                self.assertEqual(found, expected)

    def test_sql_and_reading_at_once(self):
        session = self.session()
        self.assertEqual([one.id for one in session.read(["labels", "comparison", "devices"])], ["labels", "devices"])
        total = session.sql("SELECT count(*) AS n FROM operations").rows()
        self.assertEqual(total, [(len(session.tables["operations"]),)])
        names = sorted({name for (name,) in session.sql("SELECT name FROM operations").rows()})
        first = session.sql("SELECT name, count(*) FROM operations GROUP BY name ORDER BY name DESC LIMIT 2").rows()
        self.assertEqual([name for name, _ in first], names[:-3:-1])
        self.assertIn("labels", session.tables)
        self.assertNotIn("comparison", session.tables)
        self.assertNotIn("nothing", session.tables)
        for id in ("comparison", "nothing"):
            with self.assertRaises(KeyError):
                session.tables[id]
            self.assertIsNone(session.tables.get(id))

    def test_errors(self):
        with self.assertRaises(kr.Error) as caught:
            kr.Session(self.rules).add("missing.csv").tables["labels"]
        self.assertEqual(caught.exception.path, "missing.csv")
        broken = os.path.join(self.folder.name, "broken.csv")
        text = pathlib.Path(self.trace).read_text().splitlines(keepends=True)
        pathlib.Path(broken).write_text("".join(text[:5]) + '"1","2\n')
        with self.assertRaises(kr.Error) as caught:
            kr.report(broken, rules=self.rules)
        error = caught.exception
        self.assertEqual(error.path, broken)
        self.assertTrue(error.line is not None or error.offset is not None, str(error))
        for call in (lambda: kr.Rules.load("vlm"), lambda: self.session().sql("SELECT nothing FROM runs"),
                     lambda: self.session().read(["nothing"]), lambda: self.rules.classify(NAMES, "stge"),
                     lambda: self.rules.classify(NAMES, engine="vlm")):
            with self.assertRaises(kr.Error):
                call()
        with self.assertRaises(TypeError):
            kr.Session(self.rules, nothing=1)
        with self.assertRaises(TypeError):
            self.rules.classify([1])
        with self.assertRaises(ValueError):
            kr.Session(self.rules, threads=-1)

    def test_classify(self):
        labels = self.rules.classify(NAMES * 3, engine="vllm")
        self.assertEqual(labels, labels[: len(NAMES)] * 3)
        self.assertEqual(labels[0], "gemm")
        self.assertEqual(labels[2], "unknown")
        self.assertEqual(labels[3], self.rules.classify(NAMES[3], engine="vllm"))
        for one in self.rules.classify([], engine="vllm"), self.rules.classify(()):
            self.assertEqual(one, [])
        # A name need not be UTF-8.
        self.assertEqual(self.rules.classify([os.fsdecode(b"gemm\xff"), GEMM], engine="vllm")[1], "gemm")
        # As the table of a run with this engine.
        kernels = self.session().tables["kernels"].dicts()
        self.assertEqual(self.rules.classify([one["name"] for one in kernels], engine="vllm", model=kernels[0].get("model") or ""),
                         [one["substage"] for one in kernels])
        try:
            import numpy
        except ImportError:
            return
        array = self.rules.classify(numpy.array(NAMES).reshape(2, 2), engine="vllm")
        self.assertEqual(array.ravel().tolist(), labels[:4])
        self.assertEqual(array.shape, (2, 2))

    def test_classify_any_text(self):
        """Lists, and arrays of objects and of texts of any width and place in memory, with the name as the label."""
        path = os.path.join(self.folder.name, "keep.kr")
        pathlib.Path(path).write_text("engine mine { substage { otherwise keep } model tiny {} }")
        rules = kr.Rules.load(path)
        choose = random.Random(20)
        letters = "ab\0é\u07ff\u0800…\uffff\U00010000\U0010ffff\udc80\udcff\x7f\x80 ,"
        texts = {""}
        for size in (1, 2, 3, 15, 16, 17, 31, 32, 33, 48, 100):
            for alphabet in ("ab", "ab\0", letters):
                texts.update("".join(choose.choices(alphabet, k=size)) for _ in range(20))
            texts.update(("a" * size, "a" * (size - 1) + "b", "a" * size + "\0b", "a" * size + "\0\0"))
        # numpy does not keep NULs at the end.
        texts = sorted({one.rstrip("\0") for one in texts})
        # The bytes of one name may come from different texts, and the same text from different objects.
        texts += ["é", "\udcc3\udca9", *("".join(list(one)) for one in texts)]
        many = [f"{i}{'é' * (i % 3)}" for i in range(20000)]

        def expected(names):
            return [one.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for one in names]

        class Text(str):
            pass

        for names in [], [""], texts, [Text(one) for one in texts], choose.choices(texts, k=3000), many:
            self.assertEqual(rules.classify(names), expected(names))
        self.assertEqual(rules.classify(["a\0", "a"]), ["a\0", "a"])
        for bad in "\ud800", "\udfff", "a" * 20 + "\udc7f":
            with self.assertRaises(UnicodeEncodeError):
                rules.classify(["a", bad])
        try:
            import numpy
        except ImportError:
            return
        for names in [], [""], texts, choose.choices(texts, k=3000), many, ["a" * 16, "b" * 15], ["é" * 16, "b"]:
            want = expected(names)
            plain = numpy.array(names, dtype=str)
            odd = numpy.zeros(len(names), dtype=[("byte", "u1"), ("text", plain.dtype)])
            odd["text"] = plain
            for array in (numpy.array(names, dtype=object), plain, plain.astype(plain.dtype.newbyteorder()), odd["text"],
                          numpy.repeat(plain, 2)[::2], plain[::-1][::-1]):
                found = rules.classify(array)
                self.assertEqual(found.dtype, object)
                self.assertEqual(found.tolist(), want)
        square = numpy.array(texts[:6]).reshape(2, 3)
        self.assertEqual(rules.classify(square.T).tolist(), numpy.array(expected(texts[:6])).reshape(2, 3).T.tolist())
        self.assertEqual(rules.classify(numpy.array("abc")).tolist(), "abc")
        for bad in "\ud800", "\udfff", "a" * 20 + "\udc7f":
            with self.assertRaises(UnicodeEncodeError):
                rules.classify(numpy.array(["a", bad]))
        beyond = numpy.array([97, 0x110000], dtype="uint32").view("U1")
        with self.assertRaises(ValueError):
            rules.classify(beyond)

    def test_lint(self):
        self.assertEqual([one for one in kr.lint("") if one.severity == "error"], [])
        findings = kr.lint('ruleset mine {\n  this is no rule\n}\n', path="mine.kr")
        self.assertTrue(findings)
        self.assertEqual((findings[0].severity, findings[0].path), ("error", "mine.kr"))
        self.assertGreaterEqual(findings[0].line, 1)
        self.assertIn(findings[0].code, str(findings[0]))

    def test_why(self):
        found = kr.why(GEMM, engine="vllm", rules=self.rules)
        self.assertEqual(found.id, "explanations")
        self.assertTrue(any("gemm" in row for row in found))

    def test_merge(self):
        paths = []
        for rank in range(2):
            path = os.path.join(self.folder.name, f"rank{rank}.csv")
            subprocess.run([sys.executable, SOURCE / "tests/data/make_traces.py", "--csv", path, "--rows",
                            str(1000 + rank)], check=True)
            kr.Session(self.rules).add(path, "vllm").save(path + ".krun")
            paths.append(path + ".krun")
        one, other = (os.path.join(self.folder.name, name) for name in ("a.krun", "b.krun"))
        self.assertEqual(kr.merge(paths, one), 2)
        kr.merge(paths[::-1], other)
        self.assertEqual(pathlib.Path(one).read_bytes(), pathlib.Path(other).read_bytes())
        self.assertEqual(len(kr.Session(self.rules).add(one).tables["runs"]), 2)
        with self.assertRaises(kr.Error):
            kr.merge([self.trace], one)

    def test_diff(self):
        fast = os.path.join(self.folder.name, "fast.csv")
        lines = pathlib.Path(self.trace).read_text().splitlines()
        at = lines[0].split(",").index("Duration (ns)")
        with open(fast, "w") as file:
            for i, line in enumerate(lines):
                cells = line.split(",")
                if i > 0:
                    cells[at] = str(int(cells[at]) // 2)
                file.write(",".join(cells) + "\n")
        session = kr.diff(self.trace, fast, ["work < -30%", "work > +1%"], rules=self.rules, engine="vllm")
        comparison, = session.tables["comparison"].dicts()
        self.assertAlmostEqual(comparison["per_unit_percent"], -50, delta=0.1)
        found = {row["condition"]: row["outcome"] for row in session.tables["conditions"].dicts()}
        self.assertEqual(found, {"work < -30%": "undecided", "work > +1%": "passed"})
        several = kr.diff([self.trace] * 3, [fast] * 3, ["work < -30%"], rules=self.rules, engine="vllm")
        self.assertEqual([row["outcome"] for row in several.tables["conditions"].dicts()], ["failed"])
        with self.assertRaises(kr.Error):
            kr.diff(self.trace, fast, ["work"], rules=self.rules)
        with self.assertRaises(ValueError):
            kr.diff(self.trace, [], rules=self.rules)
        self.assertIn("no run is compared", kr.Session(self.rules, runs_before=1).add(self.trace).absent("comparison"))

    def test_tree(self):
        path = os.path.join(self.folder.name, "modules.json")
        kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 5,
                  "args": {"device": 0, "stream": 7, "correlation": 1}}
        call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 2,
                "args": {"correlation": 1}}
        module = {"ph": "X", "cat": "python_function", "name": "nn.Module: Mlp_0", "pid": 1, "tid": 1, "ts": 10, "dur": 8,
                  "args": {"Python id": 1, "Python module id": 0}}
        pathlib.Path(path).write_text(json.dumps({"traceEvents": [module, call, kernel]}))
        rows = kr.tree(path, rules=self.rules, level="module").tables["tree"].dicts()
        self.assertTrue(any("Mlp" in str(row) for row in rows), rows)

    def test_threads(self):
        expected = self.session().tables["labels"].rows()
        labels = self.rules.classify(NAMES, engine="vllm")
        shared = self.session()
        failures = []

        def work():
            try:
                for _ in range(3):
                    assert shared.read(["labels"])[0].rows() == expected
                    assert read_arrow(shared.read(["labels"])[0])[1]
                    assert self.session().tables["labels"].rows() == expected
                    assert self.rules.classify(NAMES, engine="vllm") == labels
                    shared.sql("SELECT count(*) FROM kernels").rows()
            except BaseException as error:  # noqa
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(failures, [])

    def test_interrupt(self):
        """A signal ends a read within a file, as KeyboardInterrupt, and others go on."""
        fifo = os.path.join(self.folder.name, "pipe")
        os.mkfifo(fifo)
        session = kr.Session(self.rules).add(fifo, "vllm")

        def feed():
            head, *rows = pathlib.Path(self.trace).read_text().splitlines(keepends=True)
            written = 0
            try:
                with open(fifo, "w") as pipe:
                    pipe.write(head)
                    os.kill(os.getpid(), signal.SIGINT)
                    while written < 2_000_000_000:  # more than can be read in the time of the test
                        written += pipe.write("".join(rows[:100]))
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        with self.assertRaises(KeyboardInterrupt):
            session.tables["labels"]
        feeder.join()
        self.assertTrue(self.session().tables["labels"].rows())

    def test_pages_and_pictures(self):
        session = self.session()
        page = session.page("the title")
        self.assertTrue(page.startswith("<!"), page[:50])
        self.assertIn("the title", page)
        self.assertIn("rms_norm_kernel", page)
        shown = session._repr_html_()
        self.assertTrue(shown.startswith("<iframe") and "srcdoc=" in shown)
        self.assertNotIn('"', shown.split('srcdoc="', 1)[1].rstrip('></iframe>').rstrip('"'))
        self.assertIsNone(kr.Session(self.rules)._repr_html_())
        with self.assertRaisesRegex(kr.Error, "about one run"):
            kr.Session(self.rules).pictures()
        entry = {"name": "LlamaForCausalLM", "cuda_time_us": 7, "pct_cuda_time": 100, "invocations": 1}
        path = os.path.join(self.folder.name, "profile.json")
        pathlib.Path(path).write_text(json.dumps({"prefill": {"summary_stats": [{"entry": entry, "children": []}]}}))
        pictures = kr.Session(self.rules).add(path, "vllm").pictures()
        self.assertEqual([one.name for one in pictures], ["prefill"])
        self.assertIn("<svg", pictures.named("prefill")._repr_svg_())
        tree = kr.tree(path, self.rules, "vllm")
        self.assertIn("LlamaForCausalLM", tree.text("tree"))
        self.assertIn("LlamaForCausalLM", tree.page(view="tree"))
        self.assertIn("data:image/svg+xml;base64,", pictures._repr_html_())

    def test_views_and_files(self):
        session = self.session()
        self.assertIn("the numbers of the verdict", session.text())
        self.assertNotIn("\x1b[", session.text("analyze", width=80))
        self.assertIn("\x1b[", session.text(color=True))
        self.assertIn("| --- ", session.text("report", markdown=True))
        self.assertTrue(session.page(view="analyze").startswith("<!"))
        with self.assertRaisesRegex(kr.Error, "choose from report"):
            session.page(view="reprot")
        compared = kr.diff(self.trace, self.trace, rules=self.rules)
        self.assertIn("changes by substage", compared.text("diff"))

        def written(name, *args, **options):
            path = pathlib.Path(self.folder.name, name)
            session.write(path, *args, **options)
            return path.read_bytes()

        self.assertEqual(json.loads(written("all.json"))["tables"]["labels"], session.tables["labels"].dicts())
        self.assertTrue(written("labels.csv", tables=["labels"]).startswith(b"run,dimension,"))
        self.assertEqual(written("page.html", title="t").decode(), session.page("t"))
        self.assertIn(b"kr.version", written("x.pftrace")[:30])
        self.assertTrue(written("x.prv").startswith(b"#Paraver"))
        self.assertTrue(written("y", "sqlite").startswith(b"SQLite"))
        pathlib.Path(self.folder.name, "mine.md").write_text("mine")
        with self.assertRaisesRegex(kr.Error, "exists"):
            written("mine.md")
        self.assertTrue(written("mine.md", force=True).startswith(b"<!-- written by kr"))

    def test_watch(self):
        folder = pathlib.Path(self.folder.name, "watched")
        folder.mkdir()
        (folder / "old.csv").write_text("x")
        paths = kr.watch(folder)
        (folder / "new.csv").write_text("x")
        (folder / ".hidden").write_text("x")
        self.assertEqual(next(paths), str(folder / "new.csv"))
        (folder / "old.csv").write_text("it changed")
        self.assertEqual(next(paths), str(folder / "old.csv"))
        with self.assertRaises(kr.Error):
            kr.watch(folder / "none")

    def test_options_have_an_effect(self):
        unknown = pathlib.Path(self.folder.name, "unknown.csv")
        unknown.write_text("Start (ns),Duration (ns),CorrId,Device,Strm,Name\n0,9,1,0,7,zzyzx_first\n10,9,2,0,7,qwerty\n")
        groups = [kr.report(unknown, rules=self.rules, engine="vllm", max_groups=most).tables["unexplained"].rows()
                  for most in (1, 0)]
        self.assertEqual(len(groups[0]), 1)
        self.assertGreater(len(groups[1]), 1)
        with self.assertRaisesRegex(kr.Error, "rank_names"):
            kr.report(self.trace, rules=self.rules, rank_names=["zero"])

    def test_measured_peaks(self):
        gpu = "NVIDIA H100 80GB HBM3"
        events = [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 0, "dur": 8,
             "args": {"Input Dims": [[4096, 4096]] * 2, "Input type": ["c10::BFloat16"] * 2}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 2, "dur": 2,
             "args": {"correlation": 1}},
            {"ph": "X", "cat": "kernel", "name": "nvjet_tst_64x64", "pid": 0, "tid": 7, "ts": 6, "dur": 200,
             "args": {"correlation": 1, "device": 0, "stream": 7}}]
        trace = pathlib.Path(self.folder.name, "mm.json")
        trace.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": gpu}], "traceEvents": events}))
        peaks = pathlib.Path(self.folder.name, "peaks.tsv")
        peaks.write_text(f"gpu\tpeak\tper_second\tsource\n{gpu}\tbf16\t7.2e14\ttest\n{gpu}\tdram\t2.9e12\ttest\n")
        ratio = lambda **options: kr.report(trace, rules=self.rules, engine="vllm", **options).sql(
            "SELECT peak_ratio, measured_peak_ratio FROM cost_rates WHERE scope = 'run'").rows()[0]
        of_sheet, measured = ratio(peaks=str(peaks))
        self.assertAlmostEqual(measured, 2 * 4096**3 / 200e-6 / 7.2e14, 6)
        self.assertEqual(ratio(), (of_sheet, None))
        with self.assertRaisesRegex(kr.Error, "none.tsv"):
            ratio(peaks="none.tsv")

    def test_rules_go_to_other_processes(self):
        import pickle

        self.assertEqual(pickle.loads(pickle.dumps(self.rules)).classify(NAMES, engine="vllm"),
                         self.rules.classify(NAMES, engine="vllm"))
        error = pickle.loads(pickle.dumps(kr.Error("text", "path", 3, None, "why", "remedy")))
        self.assertEqual((str(error), error.path, error.line, error.remedy), ("text", "path", 3, "remedy"))

    def test_documentation(self):
        table = self.session().tables["labels"]
        registry = {one.id: one for one in kr.all_tables()}
        self.assertIn(registry["labels"].doc, table.__doc__)
        for column in table.columns:
            self.assertIn(column.doc, table.__doc__)

    def test_html(self):
        shown = self.session().tables["kernels"]._repr_html_()
        self.assertIn("<table>", shown)
        self.assertNotIn("Kernel2<", shown)  # names are escaped
        self.assertIn("Kernel2&lt;", shown)
        self.assertNotIn("<script", shown)
        from kr import notebook

        cell = "engine <b> {\n}\n"
        found = notebook.kr("", cell)
        self.assertIn("&lt;b&gt;", found._repr_html_())
        self.assertEqual(notebook.Findings("", []).__repr__(), "no findings, no tests")
        rules = 'engine e {\n  substage { gemm: "gemm"  misc: otherwise }\n}\ntest e {\n  "a_gemm" => substage gemm\n'
        path = os.path.join(self.folder.name, "mine.kr")
        found = notebook.kr(path, rules + "}\n")
        self.assertTrue(repr(found).endswith("1 of 1 test passed"), repr(found))
        self.assertEqual(pathlib.Path(path).read_text(), rules + "}\n")
        found = notebook.kr("--info", rules + '  "relu" => substage gemm\n}\n')
        self.assertEqual((found.tests, found.failed), (2, 1))
        self.assertEqual([one.line for one in found if one.name == "failing-test"], [6])
        self.assertIn("1 of 2 tests passed", found._repr_html_())
        self.assertEqual(kr.test(rules + "}\n", path="vllm"), (1, 0, []))
        with self.assertRaises(ValueError):
            notebook.kr("--nothing", cell)


if __name__ == "__main__":
    unittest.main()
