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
#include "trace/readers/nsys_json_metrics.hpp"
#include "trace/readers/sqlite_scan.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

TableScan metric_samples() {
  return {"GPU_METRICS",
          {ScanColumn::first_of({"timestamp", "rawTimestamp"}), "typeId", "metricId", "value"}};
}
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
  MetricNames(const SqliteTables& schema, TraceBuilder& out) {
    const TableScan scan{"TARGET_INFO_GPU_METRICS", {{"typeId", "0"}, "metricId", "metricName"}};
    auto found = schema.rows(scan);
    if (!found) return;
    has_types_ = schema.columns(scan.table).has("typeId");
    enum Column { type, metric, name };
    sqlite::Statement& rows = *found;
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

struct MetricRows : ScanRows {
  std::vector<MetricKey> keys;   // those met, as `metric_of` numbers them
  std::vector<uint32_t> metric;  // by sample
  std::vector<MetricSample> samples;
  std::vector<DroppedRecords> dropped;
  uint64_t before_start = 0;
};

/// Reads ranges of rows with a connection of its own.
class MetricRowReader {
 public:
  MetricRowReader(sqlite::Database database, const MetricNames& names)
      : rows_(std::move(database)), names_(&names) {}

  void read(MetricRows& out) {
    out.metric.clear();
    out.samples.clear();
    out.dropped.clear();
    out.before_start = 0;
    rows_.read(
        out,
        [&](const SqliteColumns& columns) { return metric_samples().sql(columns, out.row_id); },
        [&](const sqlite::Statement& row) { add(row, out); });
    out.keys = keys_;
  }

 private:
  enum Column { time, type, metric, value, count };

  void add(const sqlite::Statement& row, MetricRows& out) {
    std::array<sqlite::Statement::Cell, count> cells;
    row.cells(cells);
    const auto drop = [&](std::string_view what) { rows_.add_dropped(out.dropped, out, what); };
    if (cells[time].type != Type::integer) return drop("GPU metric sample without a valid time");
    const Type kind = cells[value].type;
    if (kind == Type::null) return drop("GPU metric sample without a value");
    const double number = kind == Type::integer ? static_cast<double>(cells[value].integer)
                          : kind == Type::real  ? row.real(value)
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

  RangeReader rows_;
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
  MetricReader(const SqliteTables& schema, const NsysLabels& labels, const OpenOptions& options,
               TraceBuilder& out)
      : schema_(&schema), labels_(&labels), options_(&options), out_(&out) {}

  bool read() {
    read_samples();
    if (metrics_.empty()) {
      whole_ &= read_json_metrics(*schema_, *out_,
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
    out_->gpu_metrics(metrics_.finish(NsysGpus(*schema_, *labels_), *out_));
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
    const TableScan samples = metric_samples();
    if (!schema_->has(samples.table)) return;
    if (samples.missing(schema_->columns(samples.table))) {
      out_->add_dropped("table of GPU metrics without times, ids or values", 0);
      return;
    }
    const MetricNames names(*schema_, *out_);
    SqliteScan scan(*schema_, *options_, bytes_per_row);
    scan.add(0, samples.table);
    scan.read<MetricRows>(
        [&] { return std::make_shared<MetricRowReader>(schema_->database().again(), names); },
        [&](MetricRows& rows) { merge(rows, names); });
    whole_ = scan.whole();
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
  }

  const SqliteTables* schema_;
  const NsysLabels* labels_;
  const OpenOptions* options_;
  TraceBuilder* out_;
  CollectedMetrics metrics_;
  uint64_t before_start_ = 0;
  bool whole_ = true;
};

/// Pairs of a GPU and a number of CUDA.
std::vector<std::pair<int64_t, int32_t>> device_pairs(const SqliteTables& schema,
                                                      const TableScan& scan) {
  std::vector<std::pair<int64_t, int32_t>> pairs;
  auto rows = schema.rows(scan);
  while (rows && rows->step()) {
    const auto id = rows->whole_number(0);
    const auto number = rows->whole_number(1);
    if (!id || !number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) continue;
    pairs.emplace_back(*id, static_cast<int32_t>(*number));
  }
  return pairs;
}

}  // namespace

NsysGpus::NsysGpus(const SqliteTables& schema, const NsysLabels& labels) {
  // Operations then have nsys's own numbers.
  if (!labels.numbered_by_process.empty()) return;
  auto pairs = device_pairs(schema, {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId"}});
  if (pairs.empty()) pairs = device_pairs(schema, {"TARGET_INFO_GPU", {"id", "cuDevice"}});
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

bool read_nsys_metrics(const SqliteTables& schema, const NsysLabels& labels,
                       const OpenOptions& options, TraceBuilder& out) {
  return MetricReader(schema, labels, options, out).read();
}

}  // namespace kr::trace
