// Line numbers of a text whose blocks are parsed by several threads. They are wanted in messages
// alone, so the thread that cuts the text does not look for line breaks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace kr::trace {

class LineCounts {
 public:
  /// The text begins in that line.
  explicit LineCounts(uint64_t first) : first_(first) {}

  /// The number of the next block.
  size_t add_block() {
    const std::lock_guard lock(mutex_);
    blocks_.emplace_back();
    return blocks_.size() - 1;
  }
  /// So many line breaks are in that block.
  void count(size_t block, uint64_t newlines) {
    {
      const std::lock_guard lock(mutex_);
      blocks_[block] = newlines;
    }
    counted_.notify_all();
  }
  /// The line in which that block begins. Waits until all blocks before it are counted: threads
  /// have to begin blocks in order, each by counting.
  uint64_t begin_of(size_t block) const {
    std::unique_lock lock(mutex_);
    uint64_t line = first_;
    for (size_t i = 0; i < block; ++i) {
      counted_.wait(lock, [&] { return blocks_[i].has_value(); });
      line += *blocks_[i];
    }
    return line;
  }
  /// The line behind the last block.
  uint64_t end() const { return begin_of(blocks_.size()); }

 private:
  uint64_t first_;
  std::vector<std::optional<uint64_t>> blocks_;
  mutable std::mutex mutex_;
  mutable std::condition_variable counted_;
};

}  // namespace kr::trace
