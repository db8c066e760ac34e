"""kr names the operations of GPU traces by rules and shows where the time goes.

    import kr
    session = kr.report("trace.sqlite")
    session.tables["labels"].to_pandas()
    kr.classify(["ampere_bf16_s16816gemm"], engine="vllm")

Every result is a table: ``kr.all_tables()`` lists them with their columns and units.
"""
from __future__ import annotations

import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _kr
from .shown import Picture, Pictures, in_frame
from .tables import Column, Table, TableInfo, info_of

__all__ = [
    "Column", "Error", "Finding", "InternalError", "Picture", "Pictures", "Rules", "Session", "Table", "TableInfo",
    "Tables", "Tests", "all_tables", "classify", "diff", "lint", "merge", "report", "test", "tree", "watch", "why",
]
__version__ = _kr.version()

PathLike = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """Something is wrong with the input or the system. The text has all of it."""

    def __init__(self, text: str, path: str = "", line: Optional[int] = None,
                 offset: Optional[int] = None, why: str = "", remedy: str = ""):
        super().__init__(text)
        #: The file; empty where no file is concerned.
        self.path = path
        #: The line, from 1.
        self.line = line
        #: The byte, from 0, in the decompressed text.
        self.offset = offset
        self.why = why
        #: What to do about it; may be empty.
        self.remedy = remedy


class InternalError(RuntimeError):
    """A defect of kr."""


_kr.set_errors(Error, InternalError)


def _rules_folder(given: Optional[PathLike]) -> Optional[str]:
    """The rules in this package, or of the install that it is part of, wherever it was moved."""
    if given is not None:
        return os.fspath(given)
    here = Path(__file__).resolve().parent
    for folder in [here, *list(here.parents)[3:4]]:
        if (folder / "share" / "kr" / "stdlib").is_dir():
            return str(folder / "share" / "kr")
    return None


# A wheel brings typefaces for pictures, for systems that have none.
_fonts = Path(__file__).resolve().parent / "share" / "fonts" / "fonts.conf"
if _fonts.is_file() and not Path("/etc/fonts/fonts.conf").exists():
    os.environ.setdefault("FONTCONFIG_FILE", str(_fonts))


class Rules:
    """Rules, ready for use. Several threads may use them."""

    def __init__(self, handle: object, loaded: Any = None):
        self._handle = handle
        self._loaded = loaded

    def __reduce__(self) -> Any:
        """Rules that are sent to another process are loaded there again."""
        return _load, self._loaded

    @classmethod
    def load(cls, *names: PathLike, rules_folder: Optional[PathLike] = None,
             use_cache: bool = True) -> "Rules":
        """Names of shipped rulesets, paths of rules files, or the path of one .krdb; none: the
        rulesets that ship. Raises Error if the rules have errors; its text has all of them."""
        paths = [os.fspath(name) for name in names]
        handle = _kr.rules_load(paths, _rules_folder(rules_folder), use_cache)
        return cls(handle, (paths, rules_folder, use_cache))

    def classify(self, names: Any, dimension: str = "substage", engine: str = "",
                 model: str = "") -> Any:
        """The labels of names, as those of one run: an engine or model that is not given is
        detected from all of them. A list for a list (or another sequence), an array of objects for
        a numpy array, a text for one text."""
        if isinstance(names, str):
            return _kr.rules_classify(self._handle, [names], dimension, engine, model, False)[0]
        if hasattr(names, "__array__") and hasattr(names, "tolist"):
            numpy: Any = import_module("numpy")

            array = numpy.asarray(names)
            if array.dtype.kind == "U":
                # As it is in memory: objects of a million elements take seconds.
                cells = numpy.ascontiguousarray(array, array.dtype.newbyteorder("="))
                labels, codes = _kr.rules_classify_cells(self._handle, cells.ctypes.data, cells.size,
                                                         cells.itemsize // 4, dimension, engine, model)
            else:
                labels, codes = _kr.rules_classify(self._handle, array.ravel().tolist(), dimension,
                                                   engine, model, True)
            if not labels:
                return numpy.empty(array.shape, dtype=object)
            return numpy.array(labels, dtype=object)[
                numpy.frombuffer(codes, dtype="uint32")].reshape(array.shape)
        given = names if isinstance(names, list) else list(names)
        return _kr.rules_classify(self._handle, given, dimension, engine, model, False)


def _load(paths: List[str], rules_folder: Optional[PathLike], use_cache: bool) -> Rules:
    return Rules.load(*paths, rules_folder=rules_folder, use_cache=use_cache)


class Tables(Mapping[str, Table]):
    """The tables of a session by id: those that its runs have."""

    def __init__(self, session: "Session"):
        self._session = session
        self._made: dict[str, Table] = {}

    def __getitem__(self, id: str) -> Table:
        if id not in self._made:
            if not _is_known(id):
                raise KeyError(f"there is no table `{id}`; kr.all_tables() has all")
            found = self._session.read([id])
            if not found:
                raise KeyError(f"these runs have no table `{id}`: {self._session.absent(id)}")
            self._made[id] = found[0]
        return self._made[id]

    def __contains__(self, id: object) -> bool:
        return _is_known(id) and not self._session.absent(str(id))

    def __iter__(self) -> Iterator[str]:
        return iter([one.id for one in self._session.read([info.id for info in all_tables()])])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _forget(self) -> None:
        self._made.clear()


def _is_known(id: object) -> bool:
    return any(one.id == id for one in all_tables())


class Session:
    """Runs and their tables. Files are opened when they are needed. Several threads may use a
    session: their calls wait for each other."""

    def __init__(self, rules: Optional[Rules] = None, **options: Any):
        """Options are those of ``kr::SessionOptions`` and ``kr::TableOptions``: docs/python.md."""
        unknown = sorted(set(options) - _session_options)
        if unknown:
            raise TypeError(f"unknown option of a session: {unknown[0]}; there are "
                            f"{', '.join(sorted(_session_options))}")
        self.rules = rules if rules is not None else _shipped_rules()
        self._handle = _kr.session_new(self.rules._handle, options)
        #: By id: ``session.tables["labels"]``.
        self.tables = Tables(self)
        self._paths: List[str] = []

    def add(self, path: PathLike, engine: str = "", model: str = "",
            elapsed_ns: Optional[int] = None) -> "Session":
        """Adds a run; opens nothing. Without an engine or model they are detected."""
        _kr.session_add(self._handle, os.fspath(path), engine, model, elapsed_ns)
        self._paths.append(os.fspath(path))
        self.tables._forget()
        return self

    def read(self, ids: Sequence[str]) -> List[Table]:
        """These tables, without those that the runs do not have. One call for several tables opens
        the files once."""
        return [Table(handle) for handle in _kr.session_tables(self._handle, list(ids))]

    def absent(self, id: str) -> str:
        """Why the runs have no such table; empty: they have it."""
        return _kr.session_absent(self._handle, id)

    def sql(self, query: str) -> Table:
        """The result of a SELECT over the tables about runs."""
        return Table(_kr.session_sql(self._handle, query))

    def save(self, path: PathLike) -> None:
        """Writes the sums of the runs to FILE.krun, which can be added as a run."""
        _kr.session_save(self._handle, os.fspath(path))

    def compare_with(self, before: Rules) -> None:
        """`rule_changes` is what these rules label differently."""
        _kr.session_compare_with(self._handle, before._handle)
        self.tables._forget()

    def explain(self, name: str, engine: str = "", model: str = "", kind: str = "",
                within: Optional[Sequence[str]] = None) -> None:
        """`explanations` is about this name."""
        _kr.session_explain(self._handle, name, engine, model, kind, within)
        self.tables._forget()

    def page(self, title: str = "", view: str = "report") -> str:
        """What a verb shows of the runs as one HTML document that fetches nothing: `report`,
        `analyze`, `tree`, `diff`, `coverage`, `why`."""
        return _kr.session_page(self._handle, view, title)

    def text(self, view: str = "report", *, markdown: bool = False, color: bool = False,
             width: int = 0, all_rows: bool = False) -> str:
        """The same as a text for a terminal, or Markdown."""
        return _kr.session_text(self._handle, view, {
            "markdown": markdown, "color": color, "width": width, "all_rows": all_rows})

    def write(self, path: PathLike, format: str = "", *, view: str = "report",
              tables: Sequence[str] = (), title: str = "", force: bool = False) -> None:
        """Writes results to a file, in the format that its ending means: tables as `csv`, `json`,
        `jsonl`, `markdown`, `sqlite` or `html`; every operation as `perfetto` (x.pftrace) or
        `paraver` (x.prv). Without tables, what the view shows. `force`: replaces a file that kr did
        not write."""
        _kr.session_write(self._handle, os.fspath(path), {
            "format": format, "view": view, "tables": list(tables), "title": title, "force": force})

    def pictures(self) -> Pictures:
        """The module trees of the run by step, as `kr tree` draws them."""
        return Pictures(Picture(*one) for one in _kr.session_pictures(self._handle))

    def __repr__(self) -> str:
        return f"<kr.Session: {', '.join(self._paths) or 'no runs'}>"

    def _repr_html_(self) -> Optional[str]:
        return in_frame(self.page()) if self._paths else None


_session_options = {
    "allow_truncated", "allow_inexact", "strict", "rank", "window", "threads", "references", "ncu", "gpu", "peaks", "costs",
    "clock", "job", "rank_names", "link_gb_per_s", "scaling", "nccl", "what_if", "by", "max_groups", "level", "phase", "step", "folds",
    "each_call", "all_steps", "each_sibling", "runs_before", "conditions",
}
_shipped: Optional[Rules] = None


def _shipped_rules() -> Rules:
    global _shipped
    if _shipped is None:
        _shipped = Rules.load()
    return _shipped


def report(*paths: PathLike, rules: Optional[Rules] = None, engine: str = "", model: str = "",
           **options: Any) -> Session:
    """A session with these runs, which have been read."""
    session = Session(rules, **options)
    for path in paths:
        session.add(path, engine, model)
    session.read(["runs", "notes"])
    return session


def diff(a: Union[PathLike, Sequence[PathLike]], b: Union[PathLike, Sequence[PathLike]],
         conditions: Sequence[str] = (), rules: Optional[Rules] = None, engine: str = "",
         model: str = "", **options: Any) -> Session:
    """A session that compares the run or runs `a` with `b`, which have been read: the tables
    `comparison`, `phase_changes`, `changes`, `substitutions`, and
    `conditions` with the outcome of each condition (``step > +5%``)."""
    sides = [[one] if isinstance(one, (str, os.PathLike)) else list(one) for one in (a, b)]
    if not all(sides):
        raise ValueError("a comparison needs a run on each side")
    session = Session(rules, runs_before=len(sides[0]), conditions=list(conditions), **options)
    for path in sides[0] + sides[1]:
        session.add(path, engine, model)
    session.read(["comparison", *(["conditions"] if conditions else [])])
    return session


def tree(path: PathLike, rules: Optional[Rules] = None, engine: str = "", model: str = "",
         **options: Any) -> Session:
    """A session with the module trees of a run, which has been read: the table `tree` and those
    beside it. Options are `level`, `by`, `phase`, `step`, `folds` and others: docs/python.md."""
    session = Session(rules, **options)
    session.add(path, engine, model)
    session.read(["tree"])
    return session


def classify(names: Any, dimension: str = "substage", engine: str = "", model: str = "",
             rules: Optional[Rules] = None) -> Any:
    """As Rules.classify, by default with the rulesets that ship."""
    return (rules or _shipped_rules()).classify(names, dimension, engine, model)


def why(name: str, engine: str = "", model: str = "", kind: str = "",
        within: Optional[Sequence[str]] = None, rules: Optional[Rules] = None) -> Table:
    """Which rules label this name: the table `explanations`."""
    session = Session(rules)
    session.explain(name, engine, model, kind, within)
    return session.tables["explanations"]


class Finding(NamedTuple):
    """A finding of `kr lint`. Lines and columns (bytes) count from 1; the end is exclusive."""

    code: str
    name: str
    severity: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    help: str
    #: A name that shows it; may be empty.
    example: str

    def __str__(self) -> str:
        return (f"{self.path}:{self.line}:{self.column}: {self.severity} {self.code} {self.name}: "
                f"{self.message}")


def lint(text: str, path: str = "<text>", infos: bool = False,
         rules_folder: Optional[PathLike] = None, use_cache: bool = True) -> List[Finding]:
    """The findings in the text of a rules file, with the errors that prevent loading. `infos`:
    likely problems, too."""
    return [Finding(*one)
            for one in _kr.lint(text, path, infos, _rules_folder(rules_folder), use_cache)]


class Tests(NamedTuple):
    """What the tests in a rules file say."""

    #: A test counts once per model.
    tests: int
    failed: int
    #: Failures; or the errors that prevent loading.
    findings: List[Finding]


def test(text: str, path: str = "<text>", rules_folder: Optional[PathLike] = None) -> Tests:
    """Runs the tests in the text of a rules file, as `kr test`."""
    tests, failed, findings = _kr.run_tests(text, path, _rules_folder(rules_folder))
    return Tests(tests, failed, [Finding(*one) for one in findings])


def merge(parts: Sequence[PathLike], path: PathLike) -> int:
    """Writes the runs of saved runs to one, FILE.krun: the same bytes in whatever order they are
    given. Returns the number of runs."""
    return _kr.merge([os.fspath(part) for part in parts], os.fspath(path))


def watch(folder: PathLike) -> Iterator[str]:
    """The path of each trace that appears in a folder, or changes, once it is complete: as
    `kr report --watch`. Never ends by itself."""
    watched = _kr.watch_new(os.fspath(folder))

    def paths() -> Iterator[str]:
        while True:
            yield from _kr.watch_poll(watched)
            time.sleep(0.2)

    return paths()


def all_tables() -> List[TableInfo]:
    """All tables there are, with and without data."""
    return [info_of(one) for one in _kr.all_tables()]
