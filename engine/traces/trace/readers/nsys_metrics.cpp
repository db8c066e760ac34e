#include "trace/readers/nsys_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/hash.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/nsys_json_metrics.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

constexpr const char* samples_table = "GPU_METRICS";
constexpr const char* metrics_table = "TARGET_INFO_GPU_METRICS";
constexpr uint64_t bytes_per_row = 8;  // 32,768 rows at a time
constexpr uint32_t no_metric = UINT32_MAX;

int32_t gpu_of(int64_t type) {
  return static_cast<int32_t>(type & 0xFF);
}

struct MetricKey {
  int64_t type;
  int64_t metric;

  friend bool operator==(const MetricKey&, const MetricKey&) = default;
};
struct MetricKeyHash {
  size_t operator()(const MetricKey& key) const noexcept {
    return hash_numbers(static_cast<uint64_t>(key.type), static_cast<uint64_t>(key.metric));
  }
};

/// The metrics that TARGET_INFO_GPU_METRICS names, by the ids of a sample.
class MetricNames {
 public:
  MetricNames(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out) {
    if (!schema.has(metrics_table)) return;
    const NsysColumns columns(database, metrics_table);
    if (!columns.has("metricId") || !columns.has("metricName")) return;
    has_types_ = columns.has("typeId");
    enum Column { type, metric, name };
    auto rows =
        database.prepare(fmt::format("SELECT {}, \"metricId\", \"metricName\" FROM {}",
                                     columns.or_else("typeId", "0"), nsys_table(metrics_table)));
    while (rows.step()) {
      const auto type_id = rows.whole_number(type);
      const auto metric_id = rows.whole_number(metric);
      if (!type_id || !metric_id || rows.is_null(name) || rows.text(name).empty()) {
        out.add_dropped("GPU metric without ids or a name", 0);
        continue;
      }
      const auto [known, added] =
          names_.try_emplace({*type_id, *metric_id}, std::string(rows.text(name)));
      if (!added && known->second != rows.text(name)) {
        out.add_dropped("GPU metric id with two names: the first is used",
                        static_cast<uint64_t>(*metric_id));
      }
    }
  }

  /// Null: it has no name.
  const std::string* find(const MetricKey& key) const {
    const auto known = names_.find({has_types_ ? key.type : 0, key.metric});
    return known == names_.end() ? nullptr : &known->second;
  }

 private:
  bool has_types_ = false;
  std::unordered_map<MetricKey, std::string, MetricKeyHash> names_;
};

/// Rows [first, last], and what is in them.
struct MetricRows {
  int64_t first = 0;
  int64_t last = 0;
  std::vector<MetricKey> keys;   // those met, as `metric_of` numbers them
  std::vector<uint32_t> metric;  // by sample
  std::vector<MetricSample> samples;
  std::vector<DroppedRecords> dropped;
  uint64_t before_start = 0;
  bool whole = true;
};

/// Reads ranges of rows with a connection of its own.
class MetricRowReader {
 public:
  /// `query` has the numbers of the first and last row as ?1 and ?2, if rows have numbers.
  MetricRowReader(sqlite::Database database, const std::string& query, bool numbered,
                  const MetricNames& names)
      : database_(std::move(database)),
        rows_(database_.prepare(query)),
        numbered_(numbered),
        names_(&names) {}

  void read(MetricRows& out) {
    out.metric.clear();
    out.samples.clear();
    out.dropped.clear();
    out.before_start = 0;
    out.whole = true;
    rows_.reset();
    if (numbered_) {
      rows_.bind(1, out.first);
      rows_.bind(2, out.last);
    }
    while (rows_.step(&out.whole)) add(out);
    out.keys = keys_;
    rows_.reset();
  }

 private:
  enum Column { time, type, metric, value, row, count };

  void add(MetricRows& out) {
    std::array<sqlite::Statement::Cell, count> cells;
    rows_.cells(cells);
    const auto drop = [&](std::string_view what) {
      add_dropped(out.dropped, what, static_cast<uint64_t>(cells[row].integer), 1);
    };
    if (cells[time].type != Type::integer) return drop("GPU metric sample without a valid time");
    const Type kind = cells[value].type;
    if (kind == Type::null) return drop("GPU metric sample without a value");
    const double number = kind == Type::integer ? static_cast<double>(cells[value].integer)
                          : kind == Type::real  ? rows_.real(value)
                                                : std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(number)) return drop("GPU metric sample whose value is not a number");
    if (number < 0) return drop("GPU metric sample with a negative value");
    const uint32_t number_of_metric = metric_of(cells);
    if (number_of_metric == no_metric) return drop("GPU metric sample of an unknown metric");
    if (cells[time].integer < 0) {
      ++out.before_start;
      return;
    }
    out.metric.push_back(number_of_metric);
    out.samples.push_back({cells[time].integer, number});
  }

  uint32_t metric_of(const std::array<sqlite::Statement::Cell, count>& cells) {
    if (cells[type].type != Type::integer || cells[metric].type != Type::integer) return no_metric;
    const MetricKey key{cells[type].integer, cells[metric].integer};
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    // Numbers without a name may be any number of them: these are searched again.
    if (names_->find(key) == nullptr) return no_metric;
    const auto next = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    return numbers_.emplace(key, next).first->second;
  }

  sqlite::Database database_;
  sqlite::Statement rows_;
  bool numbered_;
  const MetricNames* names_;
  std::unordered_map<MetricKey, uint32_t, MetricKeyHash> numbers_;
  std::vector<MetricKey> keys_;
};

/// The metrics, by GPU and name, in the order met.
class CollectedMetrics {
 public:
  GpuMetric& find(int32_t gpu, std::string_view name) {
    const auto [known, added] =
        numbers_.try_emplace({gpu, std::string(name)}, metrics_.metrics.size());
    if (added) {
      GpuMetric& metric = metrics_.metrics.emplace_back();
      metric.gpu = gpu;
      metric.name = name;
    }
    return metrics_.metrics[known->second];
  }
  bool empty() const noexcept { return metrics_.metrics.empty(); }

  /// By GPU and name, each finished.
  GpuMetrics finish(const NsysGpus& gpus, TraceBuilder& out) {
    std::sort(metrics_.metrics.begin(), metrics_.metrics.end(),
              [](const GpuMetric& a, const GpuMetric& b) {
                return std::tie(a.gpu, a.name) < std::tie(b.gpu, b.name);
              });
    bool without_device = false;
    for (GpuMetric& metric : metrics_.metrics) {
      const MetricCleaning cleaning = finish_metric(metric);
      if (cleaning.duplicates > 0) {
        out.add_dropped("GPU metric sample with the time of another: the first is used",
                        cleaning.duplicate_number, cleaning.duplicates);
      }
      if (cleaning.over_full > 0) {
        out.add_dropped("GPU metric value over 100 %: read as 100 %", 0, cleaning.over_full);
      }
      metric.device = gpus.device(metric.gpu);
      without_device |= !metric.device;
    }
    if (without_device && gpus.ambiguous()) {
      out.warn("gpu-metric-devices",
               "Processes number the GPUs in different ways, so it is not known which operations "
               "ran on which GPU: the metrics of these GPUs are not assigned to operations.");
    }
    return std::move(metrics_);
  }

 private:
  GpuMetrics metrics_;
  std::map<std::pair<int32_t, std::string>, size_t> numbers_;
};

class MetricReader {
 public:
  MetricReader(const sqlite::Database& database, const NsysSchema& schema, const NsysLabels& labels,
               const OpenOptions& options, TraceBuilder& out)
      : database_(&database), schema_(&schema), labels_(&labels), options_(&options), out_(&out) {}

  bool read() {
    read_samples();
    if (metrics_.empty()) {
      whole_ &= read_json_metrics(*database_, *schema_, *out_,
                                  [this](int64_t type, std::string_view name, MetricSample sample) {
                                    add(gpu_of(type), name, sample);
                                  });
    }
    if (before_start_ > 0) {
      out_->warn("gpu-metrics-before-start",
                 fmt::format("{} GPU metric samples were taken before the profile began, as is "
                             "usual for the first ones: they are not used.",
                             before_start_),
                 "info");
    }
    out_->gpu_metrics(metrics_.finish(NsysGpus(*database_, *schema_, *labels_), *out_));
    return whole_;
  }

 private:
  void add(int32_t gpu, std::string_view name, const MetricSample& sample) {
    if (sample.time_ns < 0) {
      ++before_start_;
    } else {
      metrics_.find(gpu, name).samples.push_back(sample);
    }
  }

  void read_samples() {
    if (!schema_->has(samples_table)) return;
    const NsysColumns columns(*database_, samples_table);
    const std::string time = columns.first_of({"timestamp", "rawTimestamp"});
    if (time == "NULL" || !columns.has("typeId") || !columns.has("metricId") ||
        !columns.has("value")) {
      out_->add_dropped("table of GPU metrics without times, ids or values", 0);
      return;
    }
    const char* const row_id = schema_->row_id(samples_table);
    const std::string query =
        fmt::format("SELECT {}, \"typeId\", \"metricId\", \"value\", {} FROM {}{}", time,
                    row_id != nullptr ? row_id : "NULL", nsys_table(samples_table),
                    row_id != nullptr ? fmt::format(" WHERE {0} BETWEEN ?1 AND ?2", row_id) : "");
    const MetricNames names(*database_, *schema_, *out_);
    BlockReader<MetricRows> reader(worker_threads(options_->threads), [&] {
      auto rows =
          std::make_shared<MetricRowReader>(database_->again(), query, row_id != nullptr, names);
      return [rows](MetricRows& out) { rows->read(out); };
    });
    plan(row_id);
    reader.read([this](MetricRows& rows) { return cut(rows); },
                [&](MetricRows& rows) {
                  merge(rows, names);
                  return true;
                });
  }

  /// The numbers of rows; of a table without them one range has all rows.
  void plan(const char* row_id) {
    next_ = last_ = 0;
    done_ = false;
    if (row_id == nullptr) return;
    const auto end = [&](const char* which) {
      auto row = database_->prepare(
          fmt::format("SELECT {}({}) FROM {}", which, row_id, nsys_table(samples_table)));
      bool reached = true;
      row.step(&reached);
      whole_ &= reached;
      return reached && !row.is_null(0) ? std::optional(row.integer(0)) : std::nullopt;
    };
    const auto first = end("min");
    const auto last = end("max");
    done_ = whole_ && (!first || !last);
    next_ = first.value_or(std::numeric_limits<int64_t>::min());
    last_ = last.value_or(std::numeric_limits<int64_t>::max());
  }

  /// Numbers may be anything: a table of few rows and large numbers is not cut finer than this.
  bool cut(MetricRows& rows) {
    if (done_) return false;
    constexpr uint64_t max_ranges = 4096;
    const uint64_t left = static_cast<uint64_t>(last_) - static_cast<uint64_t>(next_);
    step_ = std::max({step_, options_->block_size / bytes_per_row, left / max_ranges + 1});
    rows.first = next_;
    done_ = left < step_;
    rows.last = done_ ? last_ : static_cast<int64_t>(static_cast<uint64_t>(next_) + step_ - 1);
    if (!done_) next_ = rows.last + 1;
    return true;
  }

  void merge(const MetricRows& rows, const MetricNames& names) {
    std::vector<GpuMetric*> metrics;
    metrics.reserve(rows.keys.size());
    for (const MetricKey& key : rows.keys) metrics_.find(gpu_of(key.type), *names.find(key));
    for (const MetricKey& key : rows.keys) {
      metrics.push_back(&metrics_.find(gpu_of(key.type), *names.find(key)));
    }
    for (size_t i = 0; i < rows.samples.size(); ++i) {
      metrics[rows.metric[i]]->samples.push_back(rows.samples[i]);
    }
    for (const DroppedRecords& one : rows.dropped) {
      out_->add_dropped(one.what, one.first_offset, one.count);
    }
    before_start_ += rows.before_start;
    whole_ = whole_ && rows.whole;
  }

  const sqlite::Database* database_;
  const NsysSchema* schema_;
  const NsysLabels* labels_;
  const OpenOptions* options_;
  TraceBuilder* out_;
  CollectedMetrics metrics_;
  uint64_t before_start_ = 0;
  bool whole_ = true;
  int64_t next_ = 0;
  int64_t last_ = 0;
  uint64_t step_ = 0;
  bool done_ = false;
};

/// Pairs of a GPU and a number of CUDA.
std::vector<std::pair<int64_t, int32_t>> device_pairs(const sqlite::Database& database,
                                                      const NsysSchema& schema, const char* table,
                                                      std::string_view gpu,
                                                      std::string_view device) {
  std::vector<std::pair<int64_t, int32_t>> pairs;
  if (!schema.has(table)) return pairs;
  const NsysColumns columns(database, table);
  if (!columns.has(gpu) || !columns.has(device)) return pairs;
  auto rows = database.prepare(fmt::format("SELECT {}, {} FROM {}", sqlite::quoted(gpu),
                                           sqlite::quoted(device), nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    const auto number = rows.whole_number(1);
    if (!id || !number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) continue;
    pairs.emplace_back(*id, static_cast<int32_t>(*number));
  }
  return pairs;
}

}  // namespace

NsysGpus::NsysGpus(const sqlite::Database& database, const NsysSchema& schema,
                   const NsysLabels& labels) {
  // Operations then have nsys's own numbers.
  if (!labels.numbered_by_process.empty()) return;
  auto pairs = device_pairs(database, schema, "TARGET_INFO_CUDA_DEVICE", "gpuId", "cudaId");
  if (pairs.empty()) pairs = device_pairs(database, schema, "TARGET_INFO_GPU", "id", "cuDevice");
  std::map<int64_t, std::set<int32_t>> devices_of;
  std::map<int32_t, std::set<int64_t>> gpus_of;
  for (const auto& [gpu, device] : pairs) {
    devices_of[gpu].insert(device);
    gpus_of[device].insert(gpu);
  }
  for (const auto& [gpu, devices] : devices_of) {
    const bool one = devices.size() == 1 && gpus_of[*devices.begin()].size() == 1;
    devices_[gpu] = one ? std::optional(*devices.begin()) : std::nullopt;
    ambiguous_ |= !one;
  }
}

std::optional<int32_t> NsysGpus::device(int32_t gpu) const {
  if (devices_.empty()) return gpu;
  const auto known = devices_.find(gpu);
  return known == devices_.end() ? std::nullopt : known->second;
}

bool read_nsys_metrics(const sqlite::Database& database, const NsysSchema& schema,
                       const NsysLabels& labels, const OpenOptions& options, TraceBuilder& out) {
  return MetricReader(database, schema, labels, options, out).read();
}

}  // namespace kr::trace
