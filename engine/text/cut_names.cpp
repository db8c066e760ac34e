// Names in a column that is too narrow for them. What a name has in common with the one most
// similar to it is shortened; from where they differ, it goes on. If cuts of two names are equal
// nevertheless, the place at which these two differ is kept, too.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/ascii.hpp"
#include "text/names.hpp"
#include "text/text_grid.hpp"

namespace kr::text {
namespace {

constexpr std::string_view ellipsis = "…";  // one column
/// Parts are so few that each has some characters of a column.
constexpr size_t max_parts = 6;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::mismatch(
      a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin());
  return static_cast<size_t>(end - a.begin());
}

/// The begin of the word at `at`: a difference is read together with its word.
size_t begin_of_word(std::string_view text, size_t at) {
  constexpr size_t longest = 12;
  size_t begin = at;
  while (begin > 0 && at - begin < longest && is_identifier_byte(text[begin - 1])) --begin;
  return at - begin < longest ? begin : at;
}

/// A third of the columns is for the beginning, the others are for the parts, the same for each.
/// What a part does not need is for longer ones, and at last for the beginning.
std::string cut_at(const std::string& text, const NameParts& parts, size_t width) {
  if (!is_ascii(text)) return cut_middle(text, width);
  if (text.size() <= width) return text;
  std::vector<std::string_view> pieces;
  pieces.reserve(parts.size() + 1);
  size_t begin = 0;
  for (size_t i = 0; i <= parts.size(); ++i) {
    const size_t end = i < parts.size() ? parts[i] : text.size();
    pieces.push_back(std::string_view(text).substr(begin, end - begin));
    begin = end;
  }
  // The columns of each piece with its ellipsis, shorter ones first.
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t{1});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return pieces[a].size() < pieces[b].size(); });
  std::vector<size_t> columns(pieces.size());
  const size_t head = std::min(pieces[0].size(), width / 3);
  size_t left = width - head;
  for (size_t i = 0; i < order.size(); ++i) {
    columns[order[i]] = std::min(pieces[order[i]].size(), left / (order.size() - i));
    left -= columns[order[i]];
  }
  columns[0] = std::min(pieces[0].size(), head + left);
  std::string out;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool whole = columns[i] == pieces[i].size();
    if (whole) {
      out += pieces[i];
    } else if (columns[i] > 0) {
      out += pieces[i].substr(0, columns[i] - 1);
      out += ellipsis;
    }
  }
  return out;
}

class NameCutter {
 public:
  NameCutter(std::span<const std::string> texts, size_t width)
      : texts_(texts), width_(width), parts_(texts.size()), cut_(texts.size()) {
    std::vector<size_t> all(texts.size());
    std::iota(all.begin(), all.end(), size_t{0});
    keep_differences(all);
    for (size_t i = 0; i < texts.size(); ++i) cut(i);
    for (size_t round = 0; round < max_parts && separate_equal(); ++round) {
    }
  }

  std::vector<NameParts> parts() { return std::move(parts_); }

  std::vector<std::string> cuts() {
    number_equal();
    return std::move(cut_);
  }

 private:
  void cut(size_t i) { cut_[i] = cut_at(texts_[i], parts_[i], width_); }

  /// A part for each text where it differs from that most similar to it. Whether one was added.
  bool keep_differences(std::vector<size_t>& group) {
    std::sort(group.begin(), group.end(),
              [&](size_t a, size_t b) { return texts_[a] < texts_[b]; });
    bool added = false;
    size_t before = 0;  // what a text has in common with the one before it
    for (size_t i = 0; i < group.size(); ++i) {
      const std::string& text = texts_[group[i]];
      const size_t after =
          i + 1 < group.size() ? common_prefix(text, texts_[group[i + 1]]) : size_t{0};
      added |= keep(group[i], std::max(before, after));
      before = after;
    }
    return added;
  }

  bool keep(size_t i, size_t difference) {
    NameParts& parts = parts_[i];
    const std::string& text = texts_[i];
    if (text.size() <= width_ || !is_ascii(text) || difference >= text.size()) return false;
    const size_t at = begin_of_word(text, difference);
    const auto place = std::lower_bound(parts.begin(), parts.end(), at);
    if (at == 0 || parts.size() == max_parts || (place != parts.end() && *place == at))
      return false;
    parts.insert(place, at);
    return true;
  }

  std::vector<std::vector<size_t>> equal_cuts() const {
    std::unordered_map<std::string_view, std::vector<size_t>> groups;
    for (size_t i = 0; i < cut_.size(); ++i) groups[cut_[i]].push_back(i);
    std::vector<std::vector<size_t>> equal;
    for (auto& [text, group] : groups) {
      if (group.size() > 1) equal.push_back(std::move(group));
    }
    std::sort(equal.begin(), equal.end());
    return equal;
  }

  bool separate_equal() {
    bool changed = false;
    for (std::vector<size_t>& group : equal_cuts()) {
      if (!keep_differences(group)) continue;
      for (const size_t i : group) cut(i);
      changed = true;
    }
    return changed;
  }

  /// What no cut distinguishes.
  void number_equal() {
    std::unordered_set<std::string> taken(cut_.begin(), cut_.end());
    for (const std::vector<size_t>& group : equal_cuts()) {
      size_t number = 1;
      for (size_t i = 1; i < group.size(); ++i) {
        std::string text;
        do {
          const std::string mark = fmt::format("{}{}", ellipsis, ++number);
          const size_t columns = columns_of(mark);
          if (columns > width_) return;
          const std::string head =
              columns < width_ ? text::cut(texts_[group[i]], width_ - columns) : std::string();
          // Of two ellipses one is enough.
          text = (head.ends_with(ellipsis) ? head.substr(0, head.size() - ellipsis.size()) : head) +
                 mark;
        } while (!taken.insert(text).second);
        cut_[group[i]] = std::move(text);
      }
    }
  }

  std::span<const std::string> texts_;
  size_t width_;
  std::vector<NameParts> parts_;
  std::vector<std::string> cut_;
};

}  // namespace

std::vector<NameParts> name_parts(std::span<const std::string> texts, size_t width) {
  return NameCutter(texts, width).parts();
}

std::vector<std::string> cut_names(std::span<const std::string> texts, size_t width) {
  if (width == 0) return {texts.begin(), texts.end()};
  return NameCutter(texts, width).cuts();
}

}  // namespace kr::text
