// Saved runs of operations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "changes/saved_tables.hpp"
#include "classify/periods.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

class OperationsReader {
 public:
  explicit OperationsReader(const SavedTables& tables) : tables_(tables) {}

  void read(const std::string& run, SavedRun& saved) {
    analyze::RunSummary& summary = saved.summary;
    read_labels(run, summary);
    read_names(run, summary);
    read_devices(run, summary);
    if (tables_.has("trace_health")) read_findings(run, summary);
    read_identity(run, saved);
    read_saved_steps(tables_, run, saved);
    read_saved_devices(tables_, run, saved);
    saved.profile = profile_of(summary.source, summary, saved.steps);
    // Few traces have layers.
    if (tables_.has("layers")) read_blocks(run, saved.profile);
    if (tables_.has("repeats")) read_repeats(run, saved.profile);
    if (tables_.has("sequences")) tables_.read_sequences("sequences", run, saved.profile);
  }

 private:
  /// Sums of a run, which must not exceed its own.
  struct Sums {
    Amount total;
    Amount elapsed;  // without instances
    Amount busy;

    void add(int64_t instances, int64_t total_ns, int64_t elapsed_ns, int64_t busy_ns) {
      total += {instances, total_ns};
      elapsed += {0, elapsed_ns};
      busy += {0, busy_ns};
    }
    bool are_of(const analyze::RunSummary& run) const {
      return total.instances == run.operations && total.total_ns == run.gpu_total_ns &&
             elapsed.total_ns == run.gpu_elapsed_ns && busy.total_ns == run.gpu_busy_ns;
    }
  };

  void read_labels(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = tables_.of_run(
        "SELECT dimension, label, elapsed_ns, total_ns, instances, busy_ns FROM labels WHERE run = "
        "?1 ORDER BY rowid",
        run);
    std::map<std::string, Sums> sums;
    while (rows.step()) {
      const std::string dimension(rows.text(0));
      if (summary.dimensions.empty() || summary.dimensions.back().dimension != dimension) {
        tables_.check(!sums.contains(dimension));
        summary.dimensions.push_back({dimension, {}});
        read_explained(run, summary, summary.dimensions.back());
      }
      const analyze::LabelSum label{std::string(rows.text(1)), tables_.amount(rows, 2),
                                    tables_.amount(rows, 3), tables_.amount(rows, 4),
                                    tables_.amount(rows, 5)};
      sums[dimension].add(label.instances, label.total_ns, label.elapsed_ns, label.busy_ns);
      summary.dimensions.back().labels.push_back(label);
    }
    for (const auto& [dimension, sum] : sums) tables_.check(sum.are_of(summary));
  }

  void read_explained(const std::string& run, const analyze::RunSummary& summary,
                      analyze::DimensionSum& dimension) {
    Statement row = tables_.of_run(
        "SELECT explained_ns, unexplained_names, common_words_ns FROM coverage WHERE run = ?1 "
        "AND dimension = ?2",
        run);
    row.bind(2, dimension.dimension);
    if (!row.step()) tables_.refuse(fmt::format("has no coverage of `{}`", dimension.dimension));
    dimension.explained_ns = tables_.amount(row, 0);
    dimension.unexplained_names = tables_.amount(row, 1);
    dimension.common_words_ns = tables_.amount(row, 2);
    tables_.check(dimension.explained_ns <= summary.gpu_total_ns &&
                  dimension.common_words_ns <= dimension.explained_ns);
  }

  void read_names(const std::string& run, analyze::RunSummary& summary) {
    const auto ruled =
        summary.dimension("substage") ? summary.dimension("substage") : summary.dimension("kind");
    std::string sql =
        "SELECT name, type, instances, elapsed_ns, total_ns, min_ns, max_ns, mean_ns, stddev_ns, "
        "coalesce(rule, ''), busy_ns";
    for (const analyze::DimensionSum& one : summary.dimensions) {
      const std::string other = one.dimension + "_label";  // where a fixed column has the name
      const bool clash = tables_.database().can_prepare(
          fmt::format("SELECT kernels.{} FROM kernels", sqlite::quoted(other)));
      sql += ", kernels." + sqlite::quoted(clash ? other : one.dimension);
    }
    Sums sums;
    Statement rows = tables_.of_run(sql + " FROM kernels WHERE run = ?1 ORDER BY rowid", run);
    while (rows.step()) {
      analyze::NameSum& name = summary.names.emplace_back();
      name.name = rows.text(0);
      name.kind = operation_kind_from(rows.text(1)).value_or(OperationKind::kernel);
      name.instances = tables_.amount(rows, 2);
      name.elapsed_ns = tables_.amount(rows, 3);
      name.total_ns = tables_.amount(rows, 4);
      name.min_ns = tables_.amount(rows, 5);
      name.max_ns = tables_.amount(rows, 6);
      name.mean_ns = rows.real(7);
      name.stddev_ns = rows.real(8);
      tables_.check(std::isfinite(name.mean_ns) && std::isfinite(name.stddev_ns));
      name.busy_ns = tables_.amount(rows, 10);
      for (size_t i = 0; i < summary.dimensions.size(); ++i) {
        auto& label = name.labels.emplace_back();
        label.label = rows.text(static_cast<int>(11 + i));
        if (i == ruled) label.rule = rows.text(9);
      }
      sums.add(name.instances, name.total_ns, name.elapsed_ns, name.busy_ns);
    }
    tables_.check(sums.are_of(summary));
  }

  void read_devices(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = tables_.of_run(
        "SELECT device, coalesce(device_name, ''), operations, span_ns, busy_ns, compute_ns, "
        "communication_ns, exposed_communication_ns, memory_ns, exposed_memory_ns, idle_ns, "
        "first_start_ns FROM devices WHERE run = ?1 ORDER BY rowid",
        run);
    Amount operations;
    while (rows.step()) {
      analyze::DeviceSum& one = summary.devices.emplace_back();
      one.device = tables_.device(rows, 0);
      one.name = rows.text(1);
      static_cast<analyze::Breakdown&>(one) = tables_.breakdown(rows, 2);
      one.first_start_ns = tables_.time(rows, 11);
      operations += {one.operations, 0};
    }
    tables_.check(operations.instances == summary.operations);
  }

  void read_findings(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = tables_.of_run(
        "SELECT code, severity, coalesce(count, -1), effect, tables FROM trace_health "
        "WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      const auto severity = analyze::severity_from(rows.text(1));
      if (!severity) tables_.refuse("has a finding of an unknown severity");
      analyze::Finding one{std::string(rows.text(0)), *severity, std::nullopt,
                           std::string(rows.text(3)), std::string(rows.text(4))};
      if (rows.integer(2) != -1) one.count = tables_.amount(rows, 2);
      summary.findings.push_back(std::move(one));
    }
  }

  void read_identity(const std::string& run, SavedRun& saved) {
    Statement row = tables_.of_run(
        "SELECT operations_hash, rules_hash, utc_ns FROM run_identities WHERE run = ?1", run);
    if (!row.step()) return;
    saved.identity = {std::string(row.text(0)), std::string(row.text(1))};
    if (!row.is_null(2)) saved.summary.clock.utc_ns = tables_.time(row, 2);
  }

  void read_blocks(const std::string& run, Profile& profile) {
    Statement blocks =
        tables_.of_run("SELECT repeats, period FROM layers WHERE run = ?1 AND level = 0", run);
    while (blocks.step()) {
      if (tables_.amount(blocks, 1) < int64_t{classify::min_period}) continue;
      profile.blocks += std::min<int64_t>(tables_.amount(blocks, 0), INT32_MAX);
    }
  }

  void read_repeats(const std::string& run, Profile& profile) {
    Statement rows = tables_.of_run(
        "SELECT period, wall_ns, busy_ns, total_ns FROM repeats WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      analyze::BlockRepeat one;
      one.period = tables_.amount(rows, 0);
      one.wall_ns = tables_.amount_or_nothing(rows, 1);
      one.busy_ns = tables_.amount(rows, 2);
      one.total_ns = tables_.amount(rows, 3);
      profile.repeats.push_back(time_of(one));
    }
  }

  const SavedTables& tables_;
};

}  // namespace

void read_saved_operations(const SavedTables& tables, const std::string& run, SavedRun& saved) {
  OperationsReader(tables).read(run, saved);
}

}  // namespace kr::changes
