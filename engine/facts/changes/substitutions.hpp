// Names that only one side of a comparison has, and the names of the other side that replace them:
// other versions of an engine or a library call the kernels of the same work by other names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "changes/parts.hpp"
#include "changes/profile.hpp"

namespace kr::changes {

/// By position, if half of the places of the aligned sequences meet another, and the names meet in
/// three places or more or have the same descriptive words, and have as many operations as their
/// places say (within 50 %, by the operations and places of common names): `high` if at least 80 %
/// of the places of the names agree, `medium` if half of them do. By likeness: `medium` if no
/// places are known and the names have the same descriptive words as exactly one other. `low`: all
/// else.
enum class Confidence : uint8_t { low, medium, high };
std::string_view to_string(Confidence confidence) noexcept;

struct Substitution {
  std::string label;  // of the dimension: names of different labels never replace each other
  OperationKind kind = OperationKind::kernel;
  /// Several if names share places: one name is replaced by two, or two by one. The one with most
  /// time first.
  std::vector<std::string> a_names;
  std::vector<std::string> b_names;
  /// The share of their places in the sequences that agree, from 0 to 1: twice the places where one
  /// is aligned with the other, divided by the places of both. Nothing: they are paired by
  /// likeness alone.
  std::optional<double> position;
  double likeness = 0;  // coverage::likeness of the two names that are most alike
  Confidence confidence = Confidence::low;
  Pair time;  // of all these names
};

/// Of kernels. First by position: the sequences of the median step of each phase that both sides
/// have, else of their layers, else of their runs, are aligned so that equal names meet as often as
/// possible, then names of one label. A place counts only if the alignments that are leftmost and
/// rightmost among the best agree about it. Then by likeness, of at least half: names that no
/// alignment has seen on both sides. Each name is in one substitution at most. By descending time.
/// Deterministic.
std::vector<Substitution> find_substitutions(std::span<const Profile> a, std::span<const Profile> b,
                                             std::string_view dimension);

}  // namespace kr::changes
