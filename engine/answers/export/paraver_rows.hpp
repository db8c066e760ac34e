// The objects of a Paraver trace: a task per run, and its rows, which Paraver calls threads. First
// threads of the host, then streams, then kernels in flight, then the samples of GPUs. What
// overlaps on a thread or stream has further rows of it, since a type of events has one value per
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "export/lanes.hpp"

namespace kr::exports {

class ParaverRows {
 public:
  enum class Section : uint8_t { host, stream, in_flight, metrics };

  /// What follows is of a new task. Tasks with a rank are in its order, before others.
  void begin_task(std::optional<int64_t> rank);
  /// A row of the last task, in the order of its numbers: the place of a thread among those of the
  /// host, device and stream, or GPU; `lane` counts the rows of the same.
  uint32_t add(Section section, int64_t first, int64_t second = 0, size_t lane = 0);

  /// Orders and numbers them. Throws Error if there are more than Paraver can number; `shown` is
  /// the trace.
  void number(const std::string& shown);
  /// `TASK:THREAD` as in records.
  const std::string& place(uint32_t row) const { return places_[row]; }
  /// From the resources on: `0:1:2(6:1,6:1)`.
  std::string header() const;
  /// The `.row`.
  std::string text() const;

 private:
  struct Row {
    uint32_t task;
    Section section;
    int64_t first;
    int64_t second;
    size_t lane;
    uint32_t added = 0;

    auto key() const noexcept { return std::tie(section, first, second, lane); }
  };
  struct Task {
    std::optional<int64_t> rank;
    uint32_t number = 0;  // from 1
    size_t rows = 0;
  };
  static std::string label(const Row& row, uint32_t task, size_t thread);

  std::vector<Task> tasks_;
  std::vector<Row> rows_;
  std::vector<std::string> places_;  // as added
};

/// The rows of one thread of the host: calls and ranges are beside each other on each.
class ParaverThread {
 public:
  ParaverThread(ParaverRows& rows, int64_t thread) : rows_(&rows), thread_(thread) {}

  /// Both in order of start.
  uint32_t row_of_call(int64_t start_ns, int64_t end_ns) {
    return row(calls_.take(start_ns, end_ns));
  }
  uint32_t row_of_range(int64_t start_ns, int64_t end_ns) {
    return row(ranges_.take(start_ns, end_ns));
  }

 private:
  uint32_t row(size_t lane) {
    while (taken_.size() <= lane) {
      taken_.push_back(rows_->add(ParaverRows::Section::host, thread_, 0, taken_.size()));
    }
    return taken_[lane];
  }

  ParaverRows* rows_;
  int64_t thread_;
  Lanes calls_;
  Lanes ranges_;
  std::vector<uint32_t> taken_;
};

/// The rows of one stream.
class ParaverLanes {
 public:
  ParaverLanes(ParaverRows& rows, ParaverRows::Section section, int64_t first, int64_t second = 0)
      : rows_(&rows), section_(section), first_(first), second_(second) {}

  /// In order of start.
  uint32_t row(int64_t start_ns, int64_t end_ns) {
    const size_t lane = lanes_.take(start_ns, end_ns);
    if (lane == taken_.size()) taken_.push_back(rows_->add(section_, first_, second_, lane));
    return taken_[lane];
  }

 private:
  ParaverRows* rows_;
  ParaverRows::Section section_;
  int64_t first_;
  int64_t second_;
  Lanes lanes_;
  std::vector<uint32_t> taken_;
};

}  // namespace kr::exports
