#include "trace/readers/rocpd_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

/// Those that show which processes there are.
constexpr std::array rocpd_works{"rocpd_kernel_dispatch"sv, "rocpd_memory_copy"sv,
                                 "rocpd_region"sv};
constexpr std::array other_rocpd_tables{
    "rocpd_string"sv,      "rocpd_event"sv,         "rocpd_timestamp"sv,
    "rocpd_track"sv,       "rocpd_info_agent"sv,    "rocpd_info_process"sv,
    "rocpd_info_thread"sv, "rocpd_info_category"sv, "rocpd_info_kernel_symbol"sv};

/// What follows the name in that of a table: `_UUID`, or nothing.
std::optional<std::string_view> end_of(std::string_view table, std::string_view name) {
  if (!same_ignoring_case(table.substr(0, name.size()), name)) return std::nullopt;
  table.remove_prefix(name.size());
  if (table.empty()) return table;
  // `rocpd_region` is no beginning of another table's name.
  if (table[0] != '_' || table.size() < 2) return std::nullopt;
  return table;
}

void read_agents(const SqliteTables& tables, RocpdProcess& process) {
  enum Column { id, type, index, product, name };
  auto rows = tables.rows(
      {process.table("rocpd_info_agent"),
       {"id", "type", {"type_index", "NULL"}, {"product_name", "NULL"}, {"name", "NULL"}}});
  int32_t gpus = 0;
  while (rows && rows->step()) {
    const auto number = rows->whole_number(id);
    if (!number) continue;
    RocpdProcess::Agent& agent = process.agents[*number];
    agent.name = rows->text(rows->text(product).empty() ? name : product);
    if (rows->text(type) != "GPU") continue;
    const int64_t gpu = rows->whole_number(index).value_or(gpus);
    const bool fits = gpu >= 0 && gpu <= std::numeric_limits<int32_t>::max();
    agent.gpu = fits ? static_cast<int32_t>(gpu) : gpus;
    ++gpus;
  }
}

void read_numbers(const SqliteTables& tables, const TableScan& scan,
                  std::map<int64_t, int64_t>& to) {
  auto rows = tables.rows(scan);
  while (rows && rows->step()) {
    const auto id = rows->whole_number(0);
    const auto number = rows->whole_number(1);
    if (id && number) to.emplace(*id, *number);
  }
}

void read_lanes(const SqliteTables& tables, RocpdProcess& process) {
  auto rows = tables.rows(
      {process.table("rocpd_track"),
       {"id", {"pid", "NULL"}, {"tid", "NULL"}, {"agent_id", "NULL"}, {"queue_id", "NULL"}}});
  while (rows && rows->step()) {
    const auto id = rows->whole_number(0);
    if (!id) continue;
    process.lanes.emplace(*id, RocpdProcess::Lane{rows->whole_number(1), rows->whole_number(2),
                                                  rows->whole_number(3), rows->whole_number(4)});
  }
}

}  // namespace

bool is_rocpd(const SqliteTables& tables) {
  const auto names = tables.names(false);
  return std::any_of(names.begin(), names.end(), [](std::string_view table) {
    return std::any_of(rocpd_works.begin(), rocpd_works.end(),
                       [&](std::string_view name) { return end_of(table, name).has_value(); });
  });
}

std::deque<RocpdProcess> rocpd_processes(const SqliteTables& tables) {
  std::deque<RocpdProcess> processes;
  std::set<std::string, std::less<>> ends;
  for (const std::string_view table : tables.names(true)) {
    for (const std::string_view name : rocpd_works) {
      const auto end = end_of(table, name);
      if (!end || !ends.emplace(*end).second) continue;
      RocpdProcess& process = processes.emplace_back();
      process.number = processes.size() - 1;
      process.end = *end;
    }
  }
  std::set<std::string> members;
  for (RocpdProcess& process : processes) {
    const auto add = [&](std::string_view name) {
      process.tables.emplace(name, std::string(name) + process.end);
    };
    std::ranges::for_each(rocpd_works, add);
    std::ranges::for_each(other_rocpd_tables, add);
    read_agents(tables, process);
    read_numbers(tables, {process.table("rocpd_info_process"), {"id", "pid"}}, process.pids);
    read_numbers(tables, {process.table("rocpd_info_thread"), {"id", "tid"}}, process.tids);
    read_lanes(tables, process);
    if (processes.size() == 1) break;
    const int64_t pid =
        process.pids.empty() ? static_cast<int64_t>(process.number) : process.pids.begin()->second;
    // Processes of several nodes may have one pid.
    process.member = fmt::format("process {}", pid);
    for (size_t i = 2; !members.insert(process.member).second; ++i) {
      process.member = fmt::format("process {} ({})", pid, i);
    }
  }
  return processes;
}

}  // namespace kr::trace
