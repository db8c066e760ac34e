// The module `kr._kr`, over the public headers: handles in capsules, and functions of them. The
// package `kr` makes the classes. Built for the stable interface of Python 3.9, so that one module
// serves every later version.
//
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>

#include "kr/lint.hpp"
#include "kr/watch.hpp"
#include "names.hpp"
#include "options.hpp"
#include "tables.hpp"
#include "waiting.hpp"

namespace kr::python {
namespace {

constexpr const char* rules_name = "kr.rules";
constexpr const char* session_name = "kr.session";
constexpr const char* watch_name = "kr.watch";

struct SessionHandle {
  std::optional<Session> session;
  SharedTurns turns = std::make_shared<Turns>();
  /// Of the call that reads now.
  std::shared_ptr<std::atomic<const Stop*>> stop = std::make_shared<std::atomic<const Stop*>>();
};

template <class Handle>
Handle& handle_of(PyObject* capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule, name);
  if (pointer == nullptr) throw Raised();
  return *static_cast<Handle*>(pointer);
}
const Rules& rules_of(PyObject* capsule) {
  return handle_of<Rules>(capsule, rules_name);
}
SessionHandle& session_of(PyObject* capsule) {
  return handle_of<SessionHandle>(capsule, session_name);
}

template <class Handle>
Owned capsule(std::unique_ptr<Handle> handle, const char* name, PyCapsule_Destructor destroy) {
  Owned made = checked(PyCapsule_New(handle.get(), name, destroy));
  handle.release();  // NOLINT(bugprone-unused-return-value): the capsule owns it
  return made;
}

template <class Call>
PyObject* guarded(Call&& call) noexcept {
  try {
    return call().release();
  } catch (...) {
    return raise_current();
  }
}

Owned none() {
  Py_INCREF(Py_None);
  return Owned(Py_None);
}

/// `args[i]`, borrowed. The package passes as many as a function needs.
PyObject* at(PyObject* args, Py_ssize_t i) {
  PyObject* item = PyTuple_GetItem(args, i);
  if (item == nullptr) throw Raised();
  return item;
}

/// `work` with the session, in its turn; a signal ends reading.
template <class Work>
auto run(SessionHandle& handle, Work work) {
  return in_turn(*handle.turns, [&](const Stop& stop) {
    struct Current {
      std::atomic<const Stop*>& stop;
      ~Current() { stop = nullptr; }
    } const current{*handle.stop};
    current.stop = &stop;
    return work(*handle.session);
  });
}

LoadOptions load_options(PyObject* folder, PyObject* use_cache) {
  LoadOptions options;
  if (folder != Py_None) options.rules_folder = string_of(folder);
  options.use_cache = PyObject_IsTrue(use_cache) == 1;
  return options;
}

PyObject* set_errors(PyObject*, PyObject* args) {
  return guarded([&] {
    set_error_classes(at(args, 0), at(args, 1));
    return none();
  });
}

PyObject* library_version(PyObject*, PyObject*) {
  return guarded([] { return text(version()); });
}

PyObject* list_tables(PyObject*, PyObject*) {
  return guarded([] {
    Owned all = checked(PyList_New(0));
    for (const TableInfo* info : all_tables()) append(all, info_of(*info, info->columns));
    return all;
  });
}

/// (names, rules_folder, use_cache)
PyObject* rules_load(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::vector<std::string> names = strings_of(at(args, 0));
    const LoadOptions options = load_options(at(args, 1), at(args, 2));
    auto rules = unlocked([&] { return std::make_unique<Rules>(Rules::load(names, options)); });
    return capsule(std::move(rules), rules_name, [](PyObject* object) {
      delete static_cast<Rules*>(PyCapsule_GetPointer(object, rules_name));
    });
  });
}

/// What `args` have from `first` on: the dimension, engine and model of labels.
struct Wanted {
  Wanted(PyObject* args, Py_ssize_t first)
      : dimension(string_of(at(args, first))),
        engine(string_of(at(args, first + 1))),
        model(string_of(at(args, first + 2))) {}
  std::string dimension;
  std::string engine;
  std::string model;
};

/// The labels that there are, and by name the place of its label. Needs no GIL.
struct Labels {
  Labels(const Rules& rules, DistinctNames names, const Wanted& wanted)
      : label_of(names.take_places()) {
    NameLabels found =
        rules.label_names(names.distinct(), wanted.dimension, wanted.engine, wanted.model);
    for (uint32_t& label : label_of) label = found.label_of[label];
    labels = std::move(found.labels);
  }
  std::vector<std::string> labels;
  std::vector<uint32_t> label_of;
};

std::vector<Owned> texts(const std::vector<std::string>& values) {
  std::vector<Owned> made;
  made.reserve(values.size());
  for (const std::string& value : values) made.push_back(text(value));
  return made;
}

/// `(labels, codes)`, where codes are the bytes of uint32.
Owned as_codes(const Labels& found) {
  Owned list = checked(PyList_New(0));
  for (const Owned& label : texts(found.labels)) append(list, label);
  return tuple(std::move(list),
               checked(PyBytes_FromStringAndSize(
                   reinterpret_cast<const char*>(found.label_of.data()),
                   static_cast<Py_ssize_t>(found.label_of.size() * sizeof(uint32_t)))));
}

/// (rules, names, dimension, engine, model, as_codes): a list of labels, one per name; or
/// `(labels, codes)`.
PyObject* rules_classify(PyObject*, PyObject* args) {
  return guarded([&] {
    const Rules& rules = rules_of(at(args, 0));
    DistinctNames names = DistinctNames::of_list(at(args, 1));
    const Wanted wanted(args, 2);
    const Labels found = unlocked([&] { return Labels(rules, std::move(names), wanted); });
    if (PyObject_IsTrue(at(args, 5)) == 1) return as_codes(found);
    const std::vector<Owned> labels = texts(found.labels);
    Owned list = checked(PyList_New(static_cast<Py_ssize_t>(found.label_of.size())));
    for (size_t i = 0; i < found.label_of.size(); ++i) {
      checked(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i),
                             labels[found.label_of[i]].share()));
    }
    return list;
  });
}

/// Raises what a list with the text of this cell raises.
[[noreturn]] void raise_bad_cell(const char* cell, size_t width) {
  static_assert(sizeof(wchar_t) == sizeof(uint32_t));
  std::wstring units(width, L'\0');
  std::memcpy(units.data(), cell, width * sizeof(wchar_t));
  units.resize(units.find_last_not_of(L'\0') + 1);
  string_of(
      checked(PyUnicode_FromWideChar(units.data(), static_cast<Py_ssize_t>(units.size()))).get());
  PyErr_SetString(PyExc_RuntimeError, "the array was changed while it was read");
  throw Raised();
}

/// (rules, address, count, width, dimension, engine, model): `(labels, codes)` of the elements of
/// an array of numpy, which the caller keeps alive.
PyObject* rules_classify_cells(PyObject*, PyObject* args) {
  return guarded([&] {
    const Rules& rules = rules_of(at(args, 0));
    DistinctNames::Cells cells;
    cells.data = static_cast<const char*>(PyLong_AsVoidPtr(at(args, 1)));
    cells.count = PyLong_AsSize_t(at(args, 2));
    cells.width = PyLong_AsSize_t(at(args, 3));
    if (PyErr_Occurred() != nullptr) throw Raised();
    const Wanted wanted(args, 4);
    try {
      return as_codes(
          unlocked([&] { return Labels(rules, DistinctNames::of_cells(cells), wanted); }));
    } catch (const DistinctNames::BadCell& bad) {
      raise_bad_cell(cells.cell(bad.index), cells.width);
    }
  });
}

Owned findings_of(const std::vector<Finding>& findings) {
  Owned all = checked(PyList_New(0));
  const auto number = [](uint64_t value) { return checked(PyLong_FromUnsignedLongLong(value)); };
  for (const Finding& one : findings) {
    append(all,
           tuple(text(one.code), text(one.name), text(one.severity), text(one.path),
                 number(one.line), number(one.column), number(one.end_line), number(one.end_column),
                 text(one.message), text(one.help), text(one.example)));
  }
  return all;
}

/// (text, path, infos, rules_folder, use_cache): a list of tuples, in the order of kr::Finding.
PyObject* lint(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string rules = string_of(at(args, 0));
    const LintTextOptions options{.path = string_of(at(args, 1)),
                                  .infos = PyObject_IsTrue(at(args, 2)) == 1,
                                  .load = load_options(at(args, 3), at(args, 4))};
    return findings_of(unlocked([&] { return lint_text(rules, options); }));
  });
}

/// (text, path, rules_folder): (tests, failed, findings as of `lint`)
PyObject* run_tests(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string rules = string_of(at(args, 0));
    const LintTextOptions options{.path = string_of(at(args, 1)),
                                  .load = load_options(at(args, 2), Py_True)};
    const TextTests tests = unlocked([&] { return test_text(rules, options); });
    return tuple(checked(PyLong_FromUnsignedLongLong(tests.tests)),
                 checked(PyLong_FromUnsignedLongLong(tests.failed)), findings_of(tests.findings));
  });
}

/// (rules, options)
PyObject* session_new(PyObject*, PyObject* args) {
  return guarded([&] {
    const Rules& rules = rules_of(at(args, 0));
    const Options get(at(args, 1));
    SessionOptions options;
    get("allow_truncated", options.allow_truncated);
    get("allow_inexact", options.allow_inexact);
    get("strict", options.strict);
    get("rank", options.rank);
    get("window", options.window);
    get("threads", options.threads);
    get("references", options.references);
    get("ncu", options.ncu);
    get("gpu", options.gpu);
    get("peaks", options.peaks);
    get("costs", options.costs);
    get("clock", options.clock);
    get("job", options.job);
    get("rank_names", options.rank_names);
    get("link_gb_per_s", options.link_gb_per_s);
    get("scaling", options.scaling);
    get("nccl", options.nccl);
    get("what_if", options.what_if);
    get("by", options.tables.by);
    get("max_groups", options.tables.max_groups);
    get("level", options.tables.level);
    get("phase", options.tables.phase);
    get("step", options.tables.step);
    get("folds", options.tables.folds);
    get("each_call", options.tables.each_call);
    get("all_steps", options.tables.all_steps);
    get("each_sibling", options.tables.each_sibling);
    get("runs_before", options.tables.runs_before);
    get("conditions", options.tables.conditions);
    auto handle = std::make_unique<SessionHandle>();
    options.progress = [stop = handle->stop](const ReadProgress&) {
      const Stop* flag = *stop;
      if (flag != nullptr && *flag) throw Interrupted();
    };
    handle->session.emplace(rules, std::move(options));
    return capsule(std::move(handle), session_name, [](PyObject* object) {
      delete static_cast<SessionHandle*>(PyCapsule_GetPointer(object, session_name));
    });
  });
}

/// (session, path, engine, model, elapsed_ns)
PyObject* session_add(PyObject*, PyObject* args) {
  return guarded([&] {
    SessionHandle& handle = session_of(at(args, 0));
    RunSource run{string_of(at(args, 1)), string_of(at(args, 2)), string_of(at(args, 3))};
    if (PyObject* elapsed = at(args, 4); elapsed != Py_None) {
      run.elapsed_ns = PyLong_AsLongLong(elapsed);
      if (PyErr_Occurred() != nullptr) throw Raised();
    }
    kr::python::run(handle, [&](Session& session) { session.add(std::move(run)); });
    return none();
  });
}

/// (session, ids): those that there are.
PyObject* session_tables(PyObject*, PyObject* args) {
  return guarded([&] {
    SessionHandle& handle = session_of(at(args, 0));
    const std::vector<std::string> ids = strings_of(at(args, 1));
    std::vector<Table> tables = run(handle, [&](Session& session) { return session.tables(ids); });
    Owned all = checked(PyList_New(0));
    for (Table& table : tables) append(all, wrap(std::move(table), handle.turns));
    return all;
  });
}

/// (session, id)
PyObject* session_absent(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string id = string_of(at(args, 1));
    return text(run(session_of(at(args, 0)), [&](Session& session) { return session.absent(id); }));
  });
}

/// (session, query)
PyObject* session_sql(PyObject*, PyObject* args) {
  return guarded([&] {
    SessionHandle& handle = session_of(at(args, 0));
    const std::string query = string_of(at(args, 1));
    Table table = run(handle, [&](Session& session) { return session.sql(query); });
    return wrap(std::move(table), handle.turns);
  });
}

/// (session, path)
PyObject* session_save(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string path = string_of(at(args, 1));
    run(session_of(at(args, 0)), [&](Session& session) { session.save(path); });
    return none();
  });
}

/// (session, rules)
PyObject* session_compare_with(PyObject*, PyObject* args) {
  return guarded([&] {
    const Rules rules = rules_of(at(args, 1));
    run(session_of(at(args, 0)), [&](Session& session) { session.compare_with(rules); });
    return none();
  });
}

/// (session, name, engine, model, kind, within or None)
PyObject* session_explain(PyObject*, PyObject* args) {
  return guarded([&] {
    NameQuery query{string_of(at(args, 1)),
                    string_of(at(args, 2)),
                    string_of(at(args, 3)),
                    string_of(at(args, 4)),
                    {}};
    if (PyObject* within = at(args, 5); within != Py_None) query.within = strings_of(within);
    run(session_of(at(args, 0)), [&](Session& session) { session.explain(std::move(query)); });
    return none();
  });
}

/// (session, view, title)
PyObject* session_page(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string view = string_of(at(args, 1)), title = string_of(at(args, 2));
    return text(
        run(session_of(at(args, 0)), [&](Session& session) { return session.page(view, title); }));
  });
}

/// (session, view, options)
PyObject* session_text(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string view = string_of(at(args, 1));
    const Options get(at(args, 2));
    TextOptions options;
    get("markdown", options.markdown);
    get("color", options.color);
    get("width", options.width);
    get("all_rows", options.all_rows);
    return text(run(session_of(at(args, 0)),
                    [&](Session& session) { return session.text(view, options); }));
  });
}

/// (session, path, options)
PyObject* session_write(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string path = string_of(at(args, 1));
    const Options get(at(args, 2));
    WriteOptions options;
    get("format", options.format);
    get("view", options.view);
    get("tables", options.tables);
    get("title", options.title);
    get("force", options.force);
    run(session_of(at(args, 0)), [&](Session& session) { session.write(path, options); });
    return none();
  });
}

/// (session): of each picture its name and SVG.
PyObject* session_pictures(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::vector<TreePicture> pictures =
        run(session_of(at(args, 0)), [](Session& session) { return session.tree_pictures(); });
    Owned all = checked(PyList_New(0));
    for (const TreePicture& one : pictures) append(all, tuple(text(one.name), text(one.svg)));
    return all;
  });
}

/// (folder)
PyObject* watch_new(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::string folder = string_of(at(args, 0));
    return capsule(std::make_unique<FolderWatch>(folder), watch_name, [](PyObject* object) {
      delete static_cast<FolderWatch*>(PyCapsule_GetPointer(object, watch_name));
    });
  });
}

/// (watch): paths.
PyObject* watch_poll(PyObject*, PyObject* args) {
  return guarded([&] {
    Owned paths = checked(PyList_New(0));
    for (const std::string& path : handle_of<FolderWatch>(at(args, 0), watch_name).poll()) {
      append(paths, text(path));
    }
    return paths;
  });
}

/// (parts, path)
PyObject* merge(PyObject*, PyObject* args) {
  return guarded([&] {
    const std::vector<std::string> parts = strings_of(at(args, 0));
    const std::string path = string_of(at(args, 1));
    return checked(PyLong_FromSize_t(unlocked([&] { return merge_saved(parts, path); })));
  });
}

PyMethodDef functions[] = {
    {"set_errors", set_errors, METH_VARARGS, nullptr},
    {"version", library_version, METH_NOARGS, nullptr},
    {"all_tables", list_tables, METH_NOARGS, nullptr},
    {"rules_load", rules_load, METH_VARARGS, nullptr},
    {"rules_classify", rules_classify, METH_VARARGS, nullptr},
    {"rules_classify_cells", rules_classify_cells, METH_VARARGS, nullptr},
    {"lint", lint, METH_VARARGS, nullptr},
    {"run_tests", run_tests, METH_VARARGS, nullptr},
    {"merge", merge, METH_VARARGS, nullptr},
    {"watch_new", watch_new, METH_VARARGS, nullptr},
    {"watch_poll", watch_poll, METH_VARARGS, nullptr},
    {"session_new", session_new, METH_VARARGS, nullptr},
    {"session_add", session_add, METH_VARARGS, nullptr},
    {"session_tables", session_tables, METH_VARARGS, nullptr},
    {"session_absent", session_absent, METH_VARARGS, nullptr},
    {"session_sql", session_sql, METH_VARARGS, nullptr},
    {"session_save", session_save, METH_VARARGS, nullptr},
    {"session_compare_with", session_compare_with, METH_VARARGS, nullptr},
    {"session_explain", session_explain, METH_VARARGS, nullptr},
    {"session_page", session_page, METH_VARARGS, nullptr},
    {"session_text", session_text, METH_VARARGS, nullptr},
    {"session_write", session_write, METH_VARARGS, nullptr},
    {"session_pictures", session_pictures, METH_VARARGS, nullptr},
    {"table_info", table_info, METH_O, nullptr},
    {"table_rows", table_rows, METH_O, nullptr},
    {"table_columns", table_columns, METH_O, nullptr},
    {"table_arrow", table_arrow, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kr", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace kr::python

PyMODINIT_FUNC PyInit__kr() {
  return PyModule_Create(&kr::python::definition);
}
