#include "align/calls.hpp"

#include <algorithm>

namespace kr::align {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool separates(char c) {
  return c == '.' || c == '_' || c == '[' || c == ']' || c == '/' || c == ' ';
}

}  // namespace

std::string kind_of_module(std::string_view name) {
  std::string kind;
  for (size_t i = 0; i < name.size();) {
    size_t end = i + 1;
    if (i > 0 && separates(name[i])) {
      while (end < name.size() && is_digit(name[end])) ++end;
      const bool closed = end == name.size() || separates(name[end]);
      if (end > i + 1 && closed) {
        // The bracket that closes a number goes with it.
        i = end < name.size() && name[i] == '[' && name[end] == ']' ? end + 1 : end;
        continue;
      }
      end = i + 1;
    }
    kind += name[i];
    i = end;
  }
  return kind;
}

uint32_t Calls::add(uint32_t outer, std::string_view name) {
  const uint32_t text = texts_.add(name);
  const uint32_t kind = texts_.add(kind_of_module(name));
  calls_.push_back({outer, levels(outer) + 1, text, kind, number(paths_, {path(outer), text}),
                    number(kind_paths_, {kind_path(outer), kind})});
  return static_cast<uint32_t>(calls_.size() - 1);
}

uint32_t Calls::common(uint32_t one, uint32_t other) const {
  while (one != other) {
    if (one == none || other == none) return none;
    uint32_t& deeper = calls_[one].levels >= calls_[other].levels ? one : other;
    deeper = calls_[deeper].outer;
  }
  return one;
}

std::vector<uint32_t> Calls::chain(uint32_t call) const {
  std::vector<uint32_t> chain;
  for (; call != none; call = calls_[call].outer) chain.push_back(call);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace kr::align
