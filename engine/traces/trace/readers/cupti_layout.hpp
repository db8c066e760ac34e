// What the CSVs of CUPTI activity are: which kind of activity a file contains, and which of its
// columns means what. Every tool that writes such files has spellings of its own, so names of
// columns are compared in lower case without what is between their letters, and with the unit
// taken off: `Start (us)`, `start_us` and `startUs` are the start in microseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation_kind.hpp"

namespace kr::trace {

enum class CuptiKind : uint8_t { kernel, memcpy, memset, runtime, driver };
constexpr bool is_call(CuptiKind kind) noexcept {
  return kind == CuptiKind::runtime || kind == CuptiKind::driver;
}
OperationKind operation_kind(CuptiKind kind) noexcept;
/// `kernels`, `copies`, …
std::string_view plural_of(CuptiKind kind) noexcept;

struct CuptiFileName {
  CuptiKind kind;
  std::string word;  // as in the name, in lower case: `conc_kernel`
};
/// What the name of a file means: `rank0_conc_kernel.csv.gz`, `CUPTI_ACTIVITY_KIND_MEMCPY.csv`.
/// Nothing if it means no kind, or is not that of a CSV.
std::optional<CuptiFileName> cupti_file_name(std::string_view path);
/// `.csv`, packed or not, in any case.
bool names_csv(std::string_view path) noexcept;

struct CuptiTime {
  size_t column = 0;
  std::optional<int> exponent;  // a written unit is 10^exponent ns; nothing: not known
  std::string title;
};

struct CuptiLayout {
  CuptiKind kind = CuptiKind::kernel;
  std::vector<std::string> titles;
  CuptiTime start;
  std::optional<CuptiTime> end, duration;  // one of them, or both
  std::optional<size_t> name, copy_kind, call_id;
  std::optional<size_t> correlation, device, stream, process, thread;
  /// Of an event of Chrome's trace format written as a row: an object with what has no column.
  std::optional<size_t> args;
  /// Whether numbers in place of names are ids of strings, as in tables of nsys.
  bool name_is_id = false;

  /// Whether the header contains the unit of its times.
  bool unit_known() const { return start.exponent.has_value(); }
  /// The largest exponent known.
  int coarsest() const;
};

struct CuptiHeader {
  CuptiLayout layout;
  std::string fault;   // why it cannot be used; empty: it can
  std::string remedy;  // with the fault
};

/// `kind`: by the name of the file; without it by the columns.
CuptiHeader read_cupti_header(const std::vector<std::string_view>& titles,
                              std::optional<CuptiKind> kind);

/// Whether a text that begins so contains CUPTI activity: its first row names a start, an end or a
/// duration, and what only such records have; and it is not a report of nsys.
bool may_be_cupti_csv(std::string_view head) noexcept;

}  // namespace kr::trace
