// The first line of a Paraver trace: the unit of its times, and its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kr::trace {

/// A number at the begin of a text, which is then without it; nullopt: there is none that fits in
/// 64 bits.
std::optional<int64_t> take_number(std::string_view& text) noexcept;

struct ParaverObjects {
  struct Task {
    uint32_t application;  // from 1
    uint32_t number;       // from 1, in its application
    uint32_t first_row;
    uint32_t threads;
  };
  int64_t unit_ns = 1;  // of times
  std::vector<Task> tasks;
  std::vector<size_t> first_task;  // by application, and the end
  std::vector<uint32_t> task_of;   // by row

  size_t rows() const noexcept { return task_of.size(); }
  /// Rows are numbered over all tasks, from 0. Nullopt: there is no such thread.
  std::optional<uint32_t> row(int64_t application, int64_t task, int64_t thread) const noexcept;
};

/// `line` begins with `#Paraver`. Returns what is wrong, null if nothing is.
const char* read_paraver_header(std::string_view line, ParaverObjects& out);

}  // namespace kr::trace
