// Calls of modules in a reference, and their paths with and without the numbers of modules.
//
// A call is one execution of a module. Two calls may have one path: `RotaryEmbedding_0` serves all
// layers. The kind of a module is its name without numbers: `RMSNorm_7` is an `RMSNorm`,
// `layers.3.mlp` is `layers.mlp`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"

namespace kr::align {

/// A module's name without the numbers that tell instances apart. Digits inside a word stay:
/// `Conv2d_1` is `Conv2d`.
std::string kind_of_module(std::string_view name);

struct Call {
  uint32_t outer;      // the call that encloses it, or Calls::none
  uint32_t levels;     // modules of its path, itself included
  uint32_t name;       // a text of Calls
  uint32_t kind;       // likewise
  uint32_t path;       // equal for calls of equal names, from the outermost on
  uint32_t kind_path;  // equal for calls of equal kinds
};

class Calls {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  /// A call inside `outer` (`none`: a root).
  uint32_t add(uint32_t outer, std::string_view name);
  const Call& operator[](uint32_t call) const { return calls_[call]; }
  size_t size() const noexcept { return calls_.size(); }
  std::string_view text(uint32_t number) const { return texts_.text(number); }

  uint32_t levels(uint32_t call) const { return call == none ? 0 : calls_[call].levels; }
  uint32_t path(uint32_t call) const { return call == none ? none : calls_[call].path; }
  uint32_t kind_path(uint32_t call) const { return call == none ? none : calls_[call].kind_path; }
  /// The innermost call that encloses both, or `none`.
  uint32_t common(uint32_t one, uint32_t other) const;
  /// The calls from the outermost to this one; empty for `none`.
  std::vector<uint32_t> chain(uint32_t call) const;

 private:
  using Key = std::pair<uint32_t, uint32_t>;  // of a path: that of the outer call, and a text
  static uint32_t number(std::map<Key, uint32_t>& known, const Key& key) {
    return known.try_emplace(key, static_cast<uint32_t>(known.size())).first->second;
  }

  std::vector<Call> calls_;
  DistinctTexts texts_;
  std::map<Key, uint32_t> paths_, kind_paths_;
};

}  // namespace kr::align
