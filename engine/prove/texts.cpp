#include "prove/texts.hpp"

#include "base/ascii.hpp"

namespace kr::prove {

bool always_holds_in(const regex::Text& part, const regex::Text& whole) {
  if (part.at_begin || part.at_end) return false;
  if (part.ignore_case) return lowered(whole.bytes).find(part.bytes) != std::string::npos;
  return !whole.ignore_case && whole.bytes.find(part.bytes) != std::string::npos;
}

uint64_t Texts::key(uint32_t node, char byte) {
  return uint64_t{node} << 8 | static_cast<unsigned char>(lower(byte));
}

void Texts::add(uint32_t number, regex::Text text) {
  uint32_t node = 0;
  for (const char byte : text.bytes) {
    const auto made = static_cast<uint32_t>(ended_.size());
    const auto [at, added] = next_.try_emplace(key(node, byte), made);
    if (added) ended_.emplace_back();
    node = at->second;
  }
  ended_[node].push_back({number, std::move(text)});
}

void Texts::find(std::string_view name, std::vector<uint32_t>& numbers) const {
  numbers.clear();
  for (size_t begin = 0; begin < name.size(); ++begin) {
    uint32_t node = 0;
    for (size_t end = begin; end < name.size(); ++end) {
      const auto at = next_.find(key(node, name[end]));
      if (at == next_.end()) break;
      node = at->second;
      for (const Ended& one : ended_[node]) {
        const auto found = name.substr(begin, end + 1 - begin);
        if (one.text.ignore_case || found == one.text.bytes) numbers.push_back(one.number);
      }
    }
  }
}

}  // namespace kr::prove
