// Puts the records of a trace of any size in order: a merge sort whose sorted parts are in a file
// where memory does not hold them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/growing_array.hpp"
#include "base/part_file.hpp"
#include "export/paraver_records.hpp"

namespace kr::exports {

class ParaverSorter {
 public:
  /// `shown` stands in errors. What does not fit in `memory_bytes` goes to the folder for temporary
  /// files.
  ParaverSorter(std::string shown, size_t memory_bytes);

  void add(const ParaverRecord& record) {
    if (records_.size() == most_) spill();
    records_.push_back(record);
  }
  /// Calls `take(record)` for each, in order. Once, after all were added.
  template <class Take>
  void each(const Take& take) {
    if (parts_.empty()) {
      sort();
      for (const ParaverRecord& record : records_) take(record);
      return;
    }
    begin_merge();
    while (const ParaverRecord* record = next()) take(*record);
  }

 private:
  /// Sorted records in the file, and those of them that were read.
  struct Part {
    size_t offset = 0;  // in the file
    size_t left = 0;    // records that were not read yet
    GrowingArray<ParaverRecord> read = {};
    size_t at = 0;
  };
  void sort();
  void spill();
  void begin_merge();
  bool refill(Part& part) const;
  const ParaverRecord* next();
  bool later(size_t a, size_t b) const noexcept;

  std::string shown_;
  size_t most_;
  GrowingArray<ParaverRecord> records_;
  std::unique_ptr<PartFile> file_;
  size_t file_size_ = 0;
  std::vector<Part> parts_;
  std::vector<size_t> heap_;  // parts that have a record, that of the first in front
  bool taken_ = false;        // the first was given out
};

}  // namespace kr::exports
