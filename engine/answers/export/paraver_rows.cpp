#include "export/paraver_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace kr::exports {
namespace {

/// Paraver numbers them with 16 bits.
constexpr size_t max_rows = 65535;

}  // namespace

void ParaverRows::begin_task(std::optional<int64_t> rank) {
  tasks_.push_back({.rank = rank});
}

uint32_t ParaverRows::add(Section section, int64_t first, int64_t second, size_t lane) {
  const auto added = static_cast<uint32_t>(rows_.size());
  rows_.push_back({static_cast<uint32_t>(tasks_.size() - 1), section, first, second, lane, added});
  ++tasks_.back().rows;
  return added;
}

void ParaverRows::number(const std::string& shown) {
  std::vector<size_t> order(tasks_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const std::optional<int64_t>& left = tasks_[a].rank;
    const std::optional<int64_t>& right = tasks_[b].rank;
    return left && (!right || *left < *right);
  });
  for (size_t i = 0; i < order.size(); ++i) {
    tasks_[order[i]].number = static_cast<uint32_t>(i + 1);
    // A task without threads does not exist.
    if (tasks_[order[i]].rows > 0) continue;
    const auto added = static_cast<uint32_t>(rows_.size());
    rows_.push_back({static_cast<uint32_t>(order[i]), Section::host, 0, 0, 0, added});
    tasks_[order[i]].rows = 1;
  }
  if (rows_.size() > max_rows) {
    throw Error(shown,
                fmt::format("would have {} rows; Paraver can number {}", rows_.size(), max_rows),
                "export fewer runs into one trace");
  }
  std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
    const uint32_t left = tasks_[a.task].number;
    const uint32_t right = tasks_[b.task].number;
    return left != right ? left < right : a.key() < b.key();
  });
  places_.resize(rows_.size());
  size_t thread = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    thread = i > 0 && rows_[i].task == rows_[i - 1].task ? thread + 1 : 1;
    places_[rows_[i].added] = fmt::format("{}:{}", tasks_[rows_[i].task].number, thread);
  }
}

std::string ParaverRows::header() const {
  std::string text = fmt::format("0:1:{}(", tasks_.size());
  std::vector<size_t> sizes(tasks_.size());
  for (const Task& task : tasks_) sizes[task.number - 1] = task.rows;
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += fmt::format("{}{}:1", i > 0 ? "," : "", sizes[i]);
  }
  return text + ")";
}

std::string ParaverRows::label(const Row& row, uint32_t task, size_t thread) {
  if (row.section == Section::metrics) return fmt::format("Metrics GPU{}", row.first);
  if (row.section == Section::in_flight) return fmt::format("Kernels in flight D{}", row.first);
  const std::string first = row.section == Section::host
                                ? fmt::format("THREAD 1.{}.{}", task, thread - row.lane)
                                : fmt::format("CUDA-D{}.S{}", row.first, row.second);
  return row.lane == 0 ? first : fmt::format("{} ({})", first, row.lane + 1);
}

std::string ParaverRows::text() const {
  std::string text = fmt::format("LEVEL WORKLOAD SIZE 1\nkr {}\n\nLEVEL TASK SIZE {}\n", KR_VERSION,
                                 tasks_.size());
  for (size_t i = 1; i <= tasks_.size(); ++i) text += fmt::format("TASK 1.{}\n", i);
  text += fmt::format("\nLEVEL THREAD SIZE {}\n", rows_.size());
  size_t thread = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    thread = i > 0 && rows_[i].task == rows_[i - 1].task ? thread + 1 : 1;
    text += label(rows_[i], tasks_[rows_[i].task].number, thread) + "\n";
  }
  return text;
}

}  // namespace kr::exports
