#include "report/sqlite_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/sweep.hpp"
#include "base/check.hpp"
#include "base/json.hpp"
#include "base/sqlite.hpp"
#include "classify/attribution.hpp"
#include "report/report.hpp"
#include "report/trace_labels.hpp"

namespace kr {
namespace {

constexpr uint32_t no_place = Attribution::none;
constexpr int64_t no_id = -1;

/// Whether SQLite and its readers take it for a text: they stop at NUL bytes, and many refuse what
/// is not UTF-8.
bool is_text(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t length = bytes[at] == '\0' ? 0 : utf8_length(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// A row, cell by cell.
class TableRow {
 public:
  explicit TableRow(sqlite::Statement& statement) : statement_(statement) {}
  TableRow(const TableRow&) = delete;
  ~TableRow() = default;

  TableRow& number(int64_t value) {
    statement_.bind(++at_, value);
    return *this;
  }
  /// Null for no_id.
  TableRow& id(int64_t value) { return value == no_id ? null() : number(value); }
  TableRow& optional(const std::optional<int64_t>& value) {
    return value ? number(*value) : null();
  }
  /// Bytes that are not text become a blob of the same bytes.
  TableRow& text(std::string_view value) {
    if (is_text(value)) {
      statement_.bind(++at_, value.empty() ? std::string_view("") : value);
    } else {
      statement_.bind_blob(++at_, value);
    }
    return *this;
  }
  TableRow& text_or_null(std::string_view value) { return value.empty() ? null() : text(value); }
  TableRow& null() {
    statement_.bind_null(++at_);
    return *this;
  }
  void insert() {
    statement_.step();
    statement_.reset();
  }

 private:
  sqlite::Statement& statement_;
  int at_ = 0;
};

struct NameCounts {
  int64_t instances = 0;
  int64_t elapsed_ns = 0;
  int64_t total_ns = 0;
  int64_t min_ns = std::numeric_limits<int64_t>::max();
  int64_t max_ns = 0;
};

struct PartCounts {
  int64_t instances = 0;
  int64_t total_ns = 0;
};

std::string insert_into(std::string_view table, int columns) {
  std::string sql = fmt::format("INSERT INTO {} VALUES (", table);
  for (int i = 0; i < columns; ++i) sql += i == 0 ? "?" : ", ?";
  return sql + ")";
}

sqlite::Database opened(const std::string& location, const std::string& path) {
  sqlite::Database database = sqlite::Database::write(location, path);
  // The file is nobody's until it is renamed, so a half-written one may be lost.
  database.execute(
      fmt::format("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                  "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;"
                  "PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN;",
                  SqliteReport::application_id, SqliteReport::schema_version));
  database.execute(sqlite_tables);
  return database;
}

}  // namespace

struct SqliteReport::Impl {
  Impl(const std::string& location, const std::string& path, const CompiledRules& compiled)
      : rules(compiled), database(opened(location, path)) {
    for (const auto& [key, value] :
         {std::pair{"kr", std::string(KR_VERSION)}, {"schema", std::to_string(schema_version)}}) {
      TableRow(info).text(key).text(value).insert();
    }
  }

  /// What rows of one run refer to, by number in the trace.
  struct First {
    int64_t name = 0, thread = 0, launch = 0, range = 0, step = 0, layer = 0;
  };

  void add(const LabelledTrace& run, const RunSummary& summary) {
    ++run_id;
    add_summary(summary);
    const Attribution attribution =
        attribute(run.trace, rules.program(), rules.database, run.labelled.model);
    if (run.trace.host) add_host(*run.trace.host);
    std::vector<NameCounts> names(run.labelled.rows());
    std::vector<PartCounts> step_counts(attribution.steps.size());
    size_t layers = 0;
    for (const LayerRun& stretch : attribution.layer_runs) {
      if (stretch.level == 0) layers += stretch.repeats;
    }
    std::vector<PartCounts> layer_counts(layers);
    UnionSweep sweep;
    for (size_t i = 0; i < run.trace.operations.size(); ++i) {
      const Operation& operation = run.trace.operations[i];
      const int64_t elapsed_ns = sweep.add(operation.start_ns, operation.end_ns());
      const uint32_t row = run.labelled.row(i, operation);
      NameCounts& name = names[row];
      ++name.instances;
      name.elapsed_ns += elapsed_ns;
      name.total_ns += operation.duration_ns;
      name.min_ns = std::min(name.min_ns, operation.duration_ns);
      name.max_ns = std::max(name.max_ns, operation.duration_ns);
      int64_t layer = no_id;
      if (const uint32_t known = attribution.layer_of[i]; known != no_place) {
        PartCounts& part = layer_counts[known];
        ++part.instances;
        part.total_ns += operation.duration_ns;
        layer = first.layer + known;
      }
      const uint32_t step = attribution.step_of[i];
      if (step != no_place) {
        ++step_counts[step].instances;
        step_counts[step].total_ns += operation.duration_ns;
      }
      const uint32_t launch = run.trace.host ? run.trace.host->launch_of[i] : HostRange::none;
      const uint32_t module = attribution.module_of[i];
      const Track& track = run.trace.track(operation.track);
      TableRow(operations)
          .number(++operation_id)
          .number(run_id)
          .number(first.name + row)
          .number(track.device)
          .number(track.stream)
          .number(operation.start_ns)
          .number(operation.duration_ns)
          .number(elapsed_ns)
          .id(launch == HostRange::none ? no_id : first.launch + launch)
          .id(module == no_place ? no_id : first.range + module)
          .id(step == no_place ? no_id : first.step + step)
          .id(layer)
          .insert();
    }
    KR_CHECK(sweep.covered_ns() == summary.gpu_elapsed_ns);
    add_names(run, names);
    add_steps(attribution, step_counts);
    add_layers(run.trace, attribution, layer_counts);
    if (run.trace.host) {
      first.thread += static_cast<int64_t>(run.trace.host->threads.size());
      first.launch += static_cast<int64_t>(run.trace.host->launches.size());
      first.range += static_cast<int64_t>(run.trace.host->ranges.size());
    }
  }

  void add_summary(const RunSummary& summary) {
    TableRow(runs)
        .number(run_id)
        .text(summary.id)
        .text(summary.source)
        .text(summary.format)
        .text(summary.engine)
        .text(summary.model)
        .text(summary.choice_why)
        .number(summary.operations)
        .number(summary.gpu_elapsed_ns)
        .number(summary.gpu_total_ns)
        .number(summary.elapsed_ns)
        .text(summary.elapsed_from == ElapsedFrom::user ? "user" : "span")
        .number(summary.non_gpu_ns)
        .text_or_null(summary.inexact)
        .insert();
    for (const std::string& warning : summary.warnings) {
      TableRow(warnings).number(run_id).text(warning).insert();
    }
    for (const Loss& loss : summary.losses) {
      TableRow(losses)
          .number(run_id)
          .text(loss.what)
          .number(static_cast<int64_t>(loss.count))
          .number(static_cast<int64_t>(loss.first_offset))
          .insert();
    }
    for (const DeviceSum& device : summary.devices) {
      TableRow row(devices);
      row.number(run_id).number(device.device).text(device.name);
      for (const int64_t value :
           {device.operations, device.span_ns, device.busy_ns, device.compute_ns,
            device.communication_ns, device.exposed_communication_ns, device.memory_ns,
            device.exposed_memory_ns, device.idle_ns}) {
        row.number(value);
      }
      row.insert();
    }
  }

  void add_host(const HostSide& host) {
    int64_t id = first.thread;
    for (const HostThread& thread : host.threads) {
      TableRow(threads)
          .number(id++)
          .number(run_id)
          .text(thread.process)
          .text(thread.thread)
          .insert();
    }
    id = first.launch;
    for (const Launch& launch : host.launches) {
      const HostCall& call = host.calls[launch.call];
      const bool correlated = launch.correlation != Launch::no_correlation;
      TableRow(launches)
          .number(id++)
          .number(run_id)
          .number(first.thread + launch.thread)
          .text(call.name)
          .text(call.driver ? "driver" : "runtime")
          .optional(correlated ? std::optional(launch.correlation) : std::nullopt)
          .number(launch.start_ns)
          .number(launch.duration_ns)
          .insert();
    }
    id = first.range;
    for (const HostRange& range : host.ranges) {
      TableRow(ranges)
          .number(id++)
          .number(run_id)
          .number(first.thread + range.thread)
          .text(range.kind == HostRange::Kind::module ? "module" : "annotation")
          .text(host.range_names[range.name])
          .number(range.start_ns)
          .number(range.end_ns)
          .id(range.parent == HostRange::none ? no_id : first.range + range.parent)
          .insert();
    }
  }

  void add_names(const LabelledTrace& run, const std::vector<NameCounts>& counts) {
    const TraceLabels labels(rules, run.labelled);
    for (uint32_t i = 0; i < counts.size(); ++i) {
      const NameCounts& one = counts[i];
      const int64_t id = first.name + i;
      // A name that no operation has is none of the run's.
      if (one.instances == 0) continue;
      const OperationName& name = run.trace.names.get(run.labelled.names[i]);
      TableRow(names)
          .number(id)
          .number(run_id)
          .text(name.text)
          .text(to_string(name.kind))
          .number(one.instances)
          .number(one.elapsed_ns)
          .number(one.total_ns)
          .number(one.min_ns)
          .number(one.max_ns)
          .insert();
      for (const auto& [dimension, given_by] : labels.dimensions()) {
        const Given& given = given_by->by_row[i];
        TableRow(name_labels)
            .number(id)
            .text(dimension)
            .number(label_id(run.labelled.model, dimension, given.label))
            .text_or_null(labels.rule(given))
            .insert();
      }
    }
    first.name += static_cast<int64_t>(counts.size());
  }

  int64_t label_id(ModelId model, const std::string& dimension, std::string_view label) {
    const auto [known, added] =
        label_ids[dimension].try_emplace(std::string(label), static_cast<int64_t>(label_count));
    if (!added) return known->second;
    ++label_count;
    const LabelStyle style = label_style(rules.program(), model, dimension, label);
    TableRow(labels)
        .number(known->second)
        .text(dimension)
        .text(label)
        .text_or_null(style.title)
        .text(style.color)
        .text_or_null(style.doc)
        .insert();
    return known->second;
  }

  void add_steps(const Attribution& attribution, const std::vector<PartCounts>& counts) {
    for (size_t i = 0; i < counts.size(); ++i) {
      const TraceStep& step = attribution.steps[i];
      TableRow(steps)
          .number(first.step++)
          .number(run_id)
          .text(step.phase.label)
          .optional(step.phase.step)
          .optional(step.phase.layer)
          .number(first.range + step.range)
          .number(counts[i].instances)
          .number(counts[i].total_ns)
          .insert();
    }
    first_step_of_run = first.step - static_cast<int64_t>(counts.size());
  }

  void add_layers(const Trace& trace, const Attribution& attribution,
                  const std::vector<PartCounts>& counts) {
    size_t at = 0;
    for (const LayerRun& stretch : attribution.layer_runs) {
      if (stretch.level != 0) continue;
      const Track& track = trace.tracks[stretch.track];
      const std::string why = evidence(stretch);
      for (size_t i = 0; i < stretch.repeats; ++i, ++at) {
        TableRow(layers)
            .number(first.layer++)
            .number(run_id)
            .id(stretch.step == no_place ? no_id : first_step_of_run + stretch.step)
            .number(track.device)
            .number(track.stream)
            .number(static_cast<int64_t>(stretch.layers_before + i))
            .text(why)
            .number(counts[at].instances)
            .number(counts[at].total_ns)
            .insert();
      }
    }
  }

  const CompiledRules& rules;
  sqlite::Database database;
  sqlite::Statement info = database.prepare(insert_into("info", 2));
  sqlite::Statement runs = database.prepare(insert_into("runs", 14));
  sqlite::Statement warnings = database.prepare(insert_into("warnings", 2));
  sqlite::Statement losses = database.prepare(insert_into("losses", 4));
  sqlite::Statement devices = database.prepare(insert_into("devices", 12));
  sqlite::Statement labels = database.prepare(insert_into("labels", 6));
  sqlite::Statement names = database.prepare(insert_into("names", 9));
  sqlite::Statement name_labels = database.prepare(insert_into("name_labels", 4));
  sqlite::Statement threads = database.prepare(insert_into("threads", 4));
  sqlite::Statement launches = database.prepare(insert_into("launches", 8));
  sqlite::Statement ranges = database.prepare(insert_into("ranges", 8));
  sqlite::Statement steps = database.prepare(insert_into("steps", 8));
  sqlite::Statement layers = database.prepare(insert_into("layers", 9));
  sqlite::Statement operations = database.prepare(insert_into("operations", 12));

  int64_t run_id = no_id;
  int64_t operation_id = no_id;
  First first;
  int64_t first_step_of_run = 0;
  int64_t label_count = 0;
  std::unordered_map<std::string, std::unordered_map<std::string, int64_t>> label_ids;
};

bool SqliteReport::may_replace(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) == 0) {
    return true;
  }
  constexpr size_t head_size = 100;
  constexpr size_t id_at = 68;  // of the file format: big-endian
  char head[head_size] = {};
  std::ifstream(path, std::ios::binary).read(head, head_size);
  int32_t id = 0;
  for (size_t i = 0; i < 4; ++i) id = id << 8 | static_cast<unsigned char>(head[id_at + i]);
  return std::string_view(head, head_size).starts_with("SQLite format 3") && id == application_id;
}

SqliteReport::SqliteReport(const std::string& location, const std::string& path,
                           const CompiledRules& rules)
    : impl_(std::make_unique<Impl>(location, path, rules)) {}

SqliteReport::~SqliteReport() = default;

void SqliteReport::add(const LabelledTrace& run, const RunSummary& summary) {
  impl_->add(run, summary);
}

void SqliteReport::finish() {
  impl_->database.execute(sqlite_indices);
  // A sample of each index, for plans of queries.
  impl_->database.execute("PRAGMA analysis_limit = 1000; ANALYZE; COMMIT;");
  impl_.reset();
}

}  // namespace kr
