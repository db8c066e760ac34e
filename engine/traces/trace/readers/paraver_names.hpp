// What the numbers of a Paraver trace mean: its `.pcf` and `.row`.
//
// The same number means different things to Extrae, nsys2prv and kr, so the label of a type decides
// what its events are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kr::trace {

/// What events of a type are to kr.
enum class ParaverRole : uint8_t { other, kernel, copy, call, range, module, bytes, correlation };

/// By the label of a type, as nsys2prv, Extrae and kr write it.
ParaverRole paraver_role_of(std::string_view label) noexcept;

using ParaverValueLabels = std::unordered_map<int64_t, std::string>;

struct ParaverType {
  std::string label;
  ParaverRole role = ParaverRole::other;
  std::shared_ptr<const ParaverValueLabels> values;  // of the types of one block; null: it has none
};

/// What a row of the trace is.
struct ParaverRow {
  enum class Kind : uint8_t { unknown, host, stream, metrics };
  Kind kind = Kind::unknown;
  int32_t device = 0;  // of a stream, or of metrics
  int64_t stream = 0;
  uint32_t lane = 0;  // of a thread of the host: the place among the rows that kr writes of it
};

class ParaverNames {
 public:
  ParaverNames(std::string_view pcf, std::string_view row);

  /// Null: it is not in the `.pcf`.
  const ParaverType* type(int64_t number) const;
  /// Empty: it has no label.
  std::string_view state(int64_t number) const;
  const std::vector<ParaverRow>& rows() const noexcept { return rows_; }
  bool has_streams() const noexcept { return has_streams_; }
  bool has(ParaverRole role) const noexcept;

 private:
  void read_labels(std::string_view text);
  void read_rows(std::string_view text);

  std::unordered_map<int64_t, ParaverType> types_;
  ParaverValueLabels states_;
  std::vector<ParaverRow> rows_;
  bool has_streams_ = false;
};

}  // namespace kr::trace
