// Puts the records of a trace of any size in order: a merge sort whose sorted parts are in a file
// if they do not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/growing_array.hpp"
#include "base/part_file.hpp"
#include "export/paraver_records.hpp"

namespace kr::exports {

class ParaverSorter {
 public:
  /// Errors name the trace `shown`. What does not fit in `memory_bytes` goes to the folder for
  /// temporary files.
  ParaverSorter(std::string shown, size_t memory_bytes);

  /// What follows is of another group, whose times will be shifted by themselves.
  void begin_group();
  /// After begin_group.
  void add(const ParaverRecord& record) {
    if (held_ + records_.size() == most_) spill();
    records_.push_back(record);
  }
  /// Calls `take(record)` for each, in order, once the times of each group are shifted by its
  /// `shifts_ns`, which have to fit. Once, after all were added.
  template <class Take>
  void each(const std::vector<int64_t>& shifts_ns, const Take& take) {
    begin_merge(shifts_ns);
    while (const ParaverRecord* record = next()) take(*record);
  }

 private:
  /// Sorted records of one group, and those of them that are in memory.
  struct Part {
    size_t group = 0;
    GrowingArray<ParaverRecord> read = {};
    size_t at = 0;      // in `read`
    size_t offset = 0;  // in the file, of what is not read
    size_t left = 0;    // records there
  };
  void end_part();
  void spill();
  void begin_merge(const std::vector<int64_t>& shifts_ns);
  bool refill(Part& part);
  void shift(Part& part) const;
  const ParaverRecord* next();
  bool later(size_t a, size_t b) const noexcept;

  std::string shown_;
  size_t most_;  // records in memory
  GrowingArray<ParaverRecord> records_;
  std::unique_ptr<PartFile> file_;
  size_t file_size_ = 0;
  size_t groups_ = 0;
  size_t held_ = 0;  // records of parts in memory
  std::vector<Part> parts_;
  std::vector<int64_t> shifts_ns_;  // by group
  std::vector<size_t> heap_;        // parts that have a record, that of the first in front
  bool taken_ = false;              // the first was given out
};

}  // namespace kr::exports
