// What changes between two rulesets, with examples: names that were seen before invented ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/seen.hpp"
#include "compare/settings.hpp"

namespace kr::compare {

/// Subjects of one model and dimension that get another label.
struct CountedMove {
  /// Its witness is the best example that was seen, if possible one that counts for the model; else
  /// it is invented. Both rulesets have labelled it: the move is what they gave.
  Change change;
  std::optional<SeenIn> seen_in;  // the witness; none: it is invented
  bool extends_seen = false;      // it is invented: a name that was seen with words added
  Decision before;                // the rules that decide for the witness
  Decision after;
  /// The seen names that move, as places in RuleChanges::names, and the rules that decide for each.
  std::vector<uint32_t> moved;
  std::vector<std::pair<Decision, Decision>> deciding;
  int64_t names = 0;        // of these, those of the caller
  int64_t known_names = 0;  // the others: of tests, and names that kr ships
  int64_t total_ns = 0;     // the time of those of the caller

  bool is_seen() const noexcept { return seen_in.has_value(); }
};

/// The same change of labels in several models.
struct MoveGroup {
  std::vector<size_t> moves;  // places in RuleChanges::moves, the best example first; not empty
  int64_t names = 0;          // distinct, as in a CountedMove
  int64_t known_names = 0;
  int64_t total_ns = 0;
};

struct RuleChanges {
  /// The longest time first, then the most names of the caller, then the most known ones, then as
  /// found.
  std::vector<CountedMove> moves;
  /// Models (`vllm/llama`) of only one side.
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  /// What else changes.
  std::vector<SettingChange> settings;
  /// Engines and models of different names that were compared with each other.
  std::vector<std::pair<std::string, std::string>> renamed;
  bool proven = true;                   // false: there may be more moves
  size_t models = 0;                    // that were compared with one of the other side
  std::vector<std::string> dimensions;  // compared, in any of them; without `phases`
  bool has_phases = false;              // so that phases were compared
  bool has_costs = false;
  /// Every name that was compared, with those of the tests of both Programs; unique.
  std::vector<SeenName> names;

  bool same() const {
    return proven && moves.empty() && settings.empty() && only_before.empty() && only_after.empty();
  }
  /// By dimension and labels, ordered as the moves are; those whose example is invented are last,
  /// of these those that extend a name that was seen first.
  std::vector<MoveGroup> groups() const;
};

/// The dimension of a change of phases, whose subjects are texts of steps.
inline constexpr std::string_view phases_dimension = "phases";

/// Compares all that both have, and counts the names without enclosing names, except those of
/// tests. `names` may contain the same name several times. If the comparison is not proven, moves
/// that only names show are added. Throws Error if a sum of times exceeds 64 bits.
RuleChanges compare_rules(const ScannedProgram& before, const ScannedProgram& after,
                          std::vector<SeenName> names, const Chosen& chosen_before = {},
                          const Chosen& chosen_after = {});

}  // namespace kr::compare
