// What the CSVs of rocprofv3 are, by the columns of their headers: the names of files differ
// between versions, and users choose them. Columns are compared in lower case and without what is
// between their letters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::trace {

enum class RocprofKind : uint8_t {
  agents,  // CPUs and GPUs of the machine
  kernels,
  copies,
  calls,     // of the runtime and of libraries, and ranges that the program marks
  counters,  // a row per dispatch and counter, with times
  other,     // of rocprofv3, but without operations
};
/// `kernels`, `copies`, …
std::string_view plural_of(RocprofKind kind) noexcept;

struct RocprofLayout {
  RocprofKind kind = RocprofKind::other;
  std::vector<std::string> titles;
  // Of those that a kind needs, all are there.
  std::optional<size_t> start, end, name, guid, correlation, process, thread, domain;
  std::optional<size_t> agent, to_agent, queue, dispatch, counter;
  std::array<std::optional<size_t>, 3> block, grid;       // in threads
  std::optional<size_t> node, type, type_index, product;  // of agents
  /// Of `other`: what it is and what to do.
  std::string why = {}, remedy = {};
};

/// Nothing: it is not a CSV of rocprofv3.
std::optional<RocprofLayout> read_rocprof_header(std::string_view line);
/// By the first row of a text.
std::optional<RocprofLayout> rocprof_layout(std::string_view head);

/// What a name of a file has before that of its domain: `1560` of `1560_kernel_trace.csv`. May be
/// empty.
std::string rocprof_prefix(std::string_view path);

}  // namespace kr::trace
