#include "mcp/tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/file.hpp"
#include "export/chosen_tables.hpp"
#include "export/views.hpp"
#include "kr/lint.hpp"
#include "mcp/answer.hpp"
#include "tables/registry.hpp"

namespace kr::mcp {
namespace {

/// Longer rules are no rules.
constexpr uint64_t max_rules_bytes = 16 << 20;

/// The first question about a trace reads for the usual tables all that they need, so that the
/// second one finds it there.
std::vector<std::string> with_usual(std::vector<std::string> ids,
                                    const std::vector<std::string_view>& views) {
  for (const std::string_view view : views) {
    for (std::string& id : exports::whole_ids(exports::view_named(view).tables)) {
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
    }
  }
  return ids;
}

const std::vector<std::string_view> of_runs{"report", "analyze"};

/// Those that the runs have are written in this order.
void write_tables(Session& session, const std::vector<std::string>& ids,
                  const std::vector<std::string_view>& views, Answer& answer) {
  (void)session.tables(with_usual(ids, views));
  std::vector<std::pair<std::string, std::string>> absent;
  for (const std::string& id : ids) {
    if (std::string why = session.absent(id); !why.empty()) {
      absent.emplace_back(id, std::move(why));
    } else {
      answer.table(id, session.table(id));
    }
  }
  answer.absent(absent);
}

/// Warnings of the runs.
void write_notes(Session& session, Answer& answer) {
  answer.chosen(session, "notes", {.where = "severity <> 'info'"});
}

std::string sql_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

std::string report(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of(arguments, context.folders);
  std::vector<std::string> ids = arguments.texts("tables");
  const std::string by = arguments.text("by").value_or("substage");
  Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  const bool usual = ids.empty();
  if (usual) ids = {"verdicts", "trace_health", "runs", "devices", "phases"};
  Session& session = context.traces.open(asked);
  Answer answer(bounds);
  write_tables(session, ids, of_runs, answer);
  if (usual && session.absent("labels").empty()) {
    answer.chosen(session, "labels", {.where = "dimension = " + sql_text(by)});
  }
  write_notes(session, answer);
  return std::move(answer).finish();
}

std::string table(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of(arguments, context.folders);
  const std::string id = arguments.required("table");
  const std::vector<std::string> columns = arguments.texts("columns");
  const RowChoice choice{arguments.text("where").value_or(""), arguments.text("sort").value_or("")};
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  (void)tables::known_table(id);
  Session& session = context.traces.open(asked);
  (void)session.tables(with_usual({id}, of_runs));
  Answer answer(bounds);
  if (std::string why = session.absent(id); !why.empty()) {
    answer.absent({{id, std::move(why)}});
  } else {
    answer.chosen(session, id, choice, columns);
  }
  return std::move(answer).finish();
}

std::string sql(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of(arguments, context.folders);
  const std::string query = arguments.required("query");
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  Session& session = context.traces.open(asked);
  (void)session.tables(with_usual({}, of_runs));
  Answer answer(bounds);
  answer.table("query", session.sql(query));
  return std::move(answer).finish();
}

TableOptions tree_options(Arguments& arguments) {
  TableOptions options;
  options.by = arguments.text("by").value_or(options.by);
  options.level = arguments.text("level").value_or("");
  options.phase = arguments.text("phase").value_or("");
  options.step = arguments.integer("step");
  options.folds = arguments.texts("fold");
  options.all_steps = arguments.flag("all_steps");
  options.each_sibling = arguments.flag("each_sibling");
  return options;
}

std::string tree(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of(arguments, context.folders);
  const TableOptions options = tree_options(arguments);
  const RowChoice choice{arguments.text("where").value_or(""), arguments.text("sort").value_or("")};
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  Session& session = context.traces.open(asked);
  session.make_tables_with(options);
  (void)session.tables(with_usual({}, {"tree"}));
  Answer answer(bounds);
  if (std::string why = session.absent("tree"); !why.empty()) {
    answer.absent({{"tree", std::move(why)}});
  } else {
    answer.table("tree_attribution", session.table("tree_attribution"));
    answer.chosen(session, "tree", choice);
  }
  write_notes(session, answer);
  return std::move(answer).finish();
}

std::string diff(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of_sides(arguments, context.folders);
  TableOptions options;
  options.by = arguments.text("by").value_or(options.by);
  options.level = arguments.text("level").value_or("");
  options.runs_before = asked.runs.size();
  options.conditions = arguments.texts("fail_if");
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  Session& session = context.traces.open(asked);
  session.make_tables_with(options);
  Answer answer(bounds);
  std::vector<std::string> ids{"comparison"};
  if (!options.conditions.empty()) ids.emplace_back("conditions");
  for (const char* const id : {"phase_changes", "changes", "substitutions"}) ids.emplace_back(id);
  write_tables(session, ids, {"diff"}, answer);
  write_notes(session, answer);
  return std::move(answer).finish();
}

std::string why(Arguments& arguments, Context& context) {
  std::optional<std::string> name = arguments.text("name");
  std::optional<std::string> operation = arguments.text("operation");
  if (name.has_value() == operation.has_value()) {
    throw Error("", "one of `name` and `operation` is needed",
                "`name` explains a name; `operation`, with `runs`, one operation of a trace");
  }
  const Bounds bounds = Bounds::of(arguments);
  Answer answer(bounds);
  if (operation) {
    const RunsAsked asked = RunsAsked::of(arguments, context.folders);
    OperationQuery query{.device = arguments.integer("device"),
                         .stream = arguments.integer("stream")};
    int64_t start_ns = 0;
    const auto [end, error] =
        std::from_chars(operation->data(), operation->data() + operation->size(), start_ns);
    if (error == std::errc() && end == operation->data() + operation->size()) {
      query.start_ns = start_ns;
    } else {
      query.name = *operation;
    }
    arguments.check_all_known();
    if (asked.runs.size() != 1) {
      throw Error("", "an operation is of one trace", "name one in `runs`");
    }
    Session& session = context.traces.open(asked);
    session.explain_operation(std::move(query));
    answer.lines("lines", session.text("why"));
  } else {
    NameQuery query{.name = *name,
                    .engine = arguments.text("engine").value_or(""),
                    .model = arguments.text("model").value_or(""),
                    .kind = arguments.text("kind").value_or("")};
    if (std::vector<std::string> within = arguments.texts("within"); !within.empty()) {
      query.within = std::move(within);
    }
    arguments.check_all_known();
    Session session(context.rules);
    session.explain(std::move(query));
    answer.lines("lines", session.text("why"));
  }
  return std::move(answer).finish();
}

/// Of a file below the folders, or given as a text.
std::pair<std::string, std::string> rules_text(Arguments& arguments, const Context& context) {
  const std::optional<std::string> path = arguments.text("path");
  std::optional<std::string> text = arguments.text("text");
  if (path.has_value() == text.has_value()) {
    throw Error("", "one of `path` and `text` is needed", "`text` is the content of a rules file");
  }
  if (text) return {"<text>", *std::move(text)};
  const std::string real = context.folders.existing(*path);
  if (!std::filesystem::is_regular_file(real)) throw Error(*path, "is not a file of rules");
  if (std::filesystem::file_size(real) > max_rules_bytes) {
    throw Error(*path, "is too large for rules");
  }
  std::ifstream file(real, std::ios::binary);
  return {real, std::string(std::istreambuf_iterator<char>(file), {})};
}

void write_findings(const std::vector<Finding>& findings, const Bounds& bounds, Answer& answer) {
  lsp::Writer& writer = answer.writer();
  writer.key("findings").open('[');
  size_t shown = 0;
  size_t bytes = 0;
  for (size_t i = bounds.offset; i < findings.size(); ++i) {
    const Finding& one = findings[i];
    bytes += 200 + one.message.size() + one.help.size() + one.example.size() + one.path.size();
    if (shown == bounds.max_rows || (shown > 0 && bytes > bounds.max_bytes)) break;
    ++shown;
    writer.open('{');
    writer.key("code").text(one.code);
    writer.key("name").text(one.name);
    writer.key("severity").text(one.severity);
    writer.key("path").text(one.path);
    writer.key("line").number(one.line);
    writer.key("column").number(one.column);
    writer.key("message").text(one.message);
    if (!one.help.empty()) writer.key("help").text(one.help);
    if (!one.example.empty()) writer.key("example").text(one.example);
    writer.close('}');
  }
  writer.close(']');
  if (bounds.offset + shown >= findings.size()) return;
  writer.key("truncated").open('{');
  writer.key("shown").number(shown);
  writer.key("of").number(findings.size());
  writer.key("next_offset").number(bounds.offset + shown);
  writer.close('}');
}

std::string lint(Arguments& arguments, Context& context) {
  const auto [path, text] = rules_text(arguments, context);
  const bool infos = arguments.flag("infos");
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  const std::vector<Finding> findings = lint_text(text, {.path = path, .infos = infos});
  Answer answer(bounds);
  write_findings(findings, bounds, answer);
  return std::move(answer).finish();
}

std::string test(Arguments& arguments, Context& context) {
  const auto [path, text] = rules_text(arguments, context);
  const Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  const TextTests tests = test_text(text, {.path = path});
  Answer answer(bounds);
  answer.writer().key("tests").number(tests.tests);
  answer.writer().key("failed").number(tests.failed);
  write_findings(tests.findings, bounds, answer);
  return std::move(answer).finish();
}

std::string cut(Arguments& arguments, Context& context) {
  const RunsAsked asked = RunsAsked::of(arguments, context.folders);
  const std::string to = context.folders.to_write(arguments.required("output"));
  arguments.check_all_known();
  Session& session = context.traces.open(asked);
  session.cut(to);
  Answer answer{Bounds()};
  answer.writer().key("wrote").text(to);
  answer.writer().key("bytes").number(std::filesystem::file_size(to));
  return std::move(answer).finish();
}

void write_columns(const Context& context, const std::string& id, Answer& answer) {
  lsp::Writer& writer = answer.writer();
  const std::vector<Column> columns = context.rules.columns(id);
  writer.key("table").text(id);
  writer.key("columns").open('[');
  for (const Column& one : columns) {
    writer.open('{');
    writer.key("id").text(one.id);
    writer.key("unit").text(to_string(one.unit));
    writer.key("role").text(to_string(one.role));
    writer.key("may_be_unknown").boolean(one.optional);
    writer.key("doc").text(one.doc);
    writer.close('}');
  }
  writer.close(']');
}

std::string list(Arguments& arguments, Context& context) {
  const std::string what = arguments.required("what");
  const std::optional<std::string> of = arguments.text("table");
  const RowChoice choice{arguments.text("where").value_or(""), arguments.text("sort").value_or("")};
  Bounds bounds = Bounds::of(arguments);
  arguments.check_all_known();
  Answer answer(bounds);
  if (what == "columns") {
    if (!of) throw Error("", "`columns` needs the argument `table`");
    write_columns(context, *of, answer);
  } else {
    const std::string id = "list_" + what;
    if (tables::find(id) == nullptr) {
      throw Error("", fmt::format("there is no list of `{}`", what),
                  "there are: engines, models, labels, patterns, checks, formats, gpus, tables, "
                  "columns");
    }
    Session session(context.rules);
    answer.table(what, session.table(id, choice));
  }
  return std::move(answer).finish();
}

struct Tool {
  const char* name;
  const char* description;
  const char* properties;  // of its arguments, as JSON Schema
  const char* required;    // as JSON
  std::string (*call)(Arguments&, Context&);
  bool writes = false;
};

// Parts of schemas.
#define KR_RUNS \
  R"("runs":{"type":"array","items":{"type":"string"},"description":"Traces or saved runs; a folder stands for the traces in it, the ranks of a job"},)"
#define KR_HOW                                                                                                                                                         \
  R"("engine":{"type":"string","description":"Engine, if detection is wrong: see list engines"},)"                                                                     \
  R"("model":{"type":"string"},)"                                                                                                                                      \
  R"("window":{"type":"string","description":"Look at a part: `steps 5..20; phase decode; from 1.2s; to 1.4s; range TEXT; skip-warmup; steady`"},)"                    \
  R"("rank":{"type":"string","description":"Of a merged trace only this rank"},)"                                                                                      \
  R"("references":{"type":"array","items":{"type":"string"},"description":"Traces of the capture of CUDA graphs: they show modules"},)"                                \
  R"("ncu":{"type":"array","items":{"type":"string"},"description":"CSV pages of ncu"},)"                                                                              \
  R"("gpu":{"type":"string","description":"A data sheet for roofs: see list gpus"},)"                                                                                  \
  R"("peaks":{"type":"string","description":"A file of peaks that were measured on this GPU, as tools/peaks writes it: measured_peak_ratio, roofs of what_if"},)"      \
  R"("costs":{"type":"boolean","description":"FLOPs and bytes from the shapes of ops"},)"                                                                              \
  R"("what_if":{"type":"array","items":{"type":"string"},"description":"Changes to replay with: `host = 0.5x`, `substage/moe_gemm = roof`; then see table what_if"},)" \
  R"("allow_truncated":{"type":"boolean"},)"
#define KR_ROWS                                                                                                                   \
  R"("where":{"type":"string","description":"A condition of SQL over the columns: `substage = 'gemm' AND total_ns > 1000000`"},)" \
  R"("sort":{"type":"string","description":"A column: largest numbers first, texts from A; -COLUMN: the other way round"},)"
#define KR_BOUNDS                                                                       \
  R"("max_rows":{"type":"integer","minimum":1,"maximum":10000,"default":50},)"          \
  R"("max_bytes":{"type":"integer","minimum":1000,"maximum":1000000,"default":24000},)" \
  R"("offset":{"type":"integer","minimum":0,"description":"The first row: `next_offset` of the answer before"})"

constexpr std::array tools{
    Tool{
        "report",
        "Where the time goes: what limits the run first (verdicts), how far the trace can be "
        "trusted, then devices, phases and time by label. Start here. All times are ns.",
        KR_RUNS
        R"("tables":{"type":"array","items":{"type":"string"},"description":"Other tables than the usual ones: see list tables"},"by":{"type":"string","description":"The dimension of `labels`: stage, substage, part, kind, …"},)" KR_HOW
            KR_BOUNDS,
        R"(["runs"])", report},
    Tool{
        "table",
        "Rows of one table of runs, filtered and sorted: kernels, steps, idle, layers, "
        "collective_balance, operations, … (`list` what=tables names them all, what=columns "
        "defines the columns of one).",
        KR_RUNS
        R"("table":{"type":"string"},"columns":{"type":"array","items":{"type":"string"}},)" KR_ROWS
            KR_HOW KR_BOUNDS,
        R"(["runs","table"])", table},
    Tool{"sql",
         "One SELECT over the tables of runs, in SQLite's language, with median(x) and "
         "percentile(x, p). For sums and joins that no table has; show the query with the answer.",
         KR_RUNS R"("query":{"type":"string"},)" KR_HOW KR_BOUNDS, R"(["runs","query"])", sql},
    Tool{
        "diff",
        "What changed from runs `a` to runs `b`: whether it is more than noise, then changes by "
        "phase, label and kernel. Only this knows the noise: do not compare two reports.",
        R"("a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"string"}},"by":{"type":"string"},"level":{"type":"string","description":"Compare module trees at this level: kernel, module, layer or a depth"},"fail_if":{"type":"array","items":{"type":"string"},"description":"Conditions: `step > +5%`, `substage/gemm > +10%`"},)" KR_HOW
            KR_BOUNDS,
        R"(["a","b"])", diff},
    Tool{
        "tree", "Modules and layers of one trace, by phase: time, calls and label of each.",
        KR_RUNS
        R"("level":{"type":"string","description":"kernel, module, layer, or a depth from 0"},"phase":{"type":"string"},"step":{"type":"integer"},"by":{"type":"string"},"fold":{"type":"array","items":{"type":"string"},"description":"Modules of these names hide what is below them"},"all_steps":{"type":"boolean"},"each_sibling":{"type":"boolean","description":"Do not merge layers that differ in their number"},)" KR_ROWS
            KR_HOW KR_BOUNDS,
        R"(["runs"])", tree},
    Tool{
        "why",
        "Which rule labels a kernel name, or one operation of a trace (by its start in ns or its "
        "name), and which others would have; of an operation its neighbours and where it comes "
        "from, too.",
        R"("name":{"type":"string"},"kind":{"type":"string","enum":["kernel","memcpy","memset"]},"within":{"type":"array","items":{"type":"string"}},"runs":{"type":"array","items":{"type":"string"}},"operation":{"type":"string"},"device":{"type":"integer"},"stream":{"type":"integer"},)" KR_HOW
            KR_BOUNDS,
        "[]", why},
    Tool{
        "lint", "Findings in a file of rules, by path or as a text.",
        R"("path":{"type":"string"},"text":{"type":"string"},"infos":{"type":"boolean","description":"Likely problems, too"},)" KR_BOUNDS,
        "[]", lint},
    Tool{"test", "Runs the tests in a file of rules, by path or as a text.",
         R"("path":{"type":"string"},"text":{"type":"string"},)" KR_BOUNDS, "[]", test},
    Tool{
        "list",
        "What there is: engines, models, labels, patterns, checks, formats, gpus, tables, or the "
        "columns of a table with their definitions.",
        R"("what":{"type":"string","enum":["engines","models","labels","patterns","checks","formats","gpus","tables","columns"]},"table":{"type":"string","description":"For columns"},)" KR_ROWS
            KR_BOUNDS,
        R"(["what"])", list},
    Tool{"cut", "Writes the part of a trace that `window` names to a new file, in its own format.",
         KR_RUNS KR_HOW
         R"("output":{"type":"string","description":"A file that does not exist; .gz compresses"})",
         R"(["runs","window","output"])", cut, true},
};

#undef KR_RUNS
#undef KR_HOW
#undef KR_ROWS
#undef KR_BOUNDS

}  // namespace

void list_tools(lsp::Writer& writer, bool may_write) {
  writer.key("tools").open('[');
  for (const Tool& tool : tools) {
    if (tool.writes && !may_write) continue;
    writer.open('{');
    writer.key("name").text(tool.name);
    writer.key("description").text(tool.description);
    writer.key("inputSchema").open('{');
    writer.key("type").text("object");
    writer.key("properties").members(fmt::format("{{{}}}", tool.properties));
    writer.key("required").members(tool.required);
    writer.key("additionalProperties").boolean(false);
    writer.close('}');
    writer.key("outputSchema").members(R"({"type":"object"})");
    writer.key("annotations").open('{');
    writer.key("readOnlyHint").boolean(!tool.writes);
    writer.key("destructiveHint").boolean(false);
    writer.key("openWorldHint").boolean(false);
    writer.close('}');
    writer.close('}');
  }
  writer.close(']');
}

bool is_tool(std::string_view name, bool may_write) {
  return std::ranges::any_of(
      tools, [&](const Tool& tool) { return name == tool.name && (may_write || !tool.writes); });
}

std::string call_tool(std::string_view name, const JsonValue& arguments, Context& context) {
  const auto tool = std::ranges::find(tools, name, &Tool::name);
  Arguments given(arguments);
  return tool->call(given, context);
}

}  // namespace kr::mcp
