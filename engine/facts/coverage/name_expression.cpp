#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/ascii.hpp"
#include "coverage/name_parts.hpp"
#include "syntax/words.hpp"

namespace kr::coverage {
namespace {

using Form = NameExpression::Form;

/// A text with this many letters in descriptive words is specific.
constexpr size_t specific_letters = 6;

/// A part of an identifier, from word to word.
struct Stretch {
  std::string text;
  size_t letters = 0;      // of descriptive words
  size_t descriptive = 0;  // of these
  size_t cuts = 0;         // ends that are not at an underscore or an end of the identifier
  size_t begin = 0;

  bool is_specific() const { return descriptive > 1 || letters >= specific_letters; }
};

/// The most descriptive first, then those that end at underscores, then the shorter.
std::vector<Stretch> stretches_of(const std::string& identifier) {
  constexpr size_t max_words = 40;
  auto words = words_of(identifier);
  words.resize(std::min(words.size(), max_words));
  std::vector<Stretch> found;
  found.reserve(words.size() * words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    Stretch one;
    one.begin = words[i].begin;
    const bool begins_inside = one.begin > 0 && is_identifier_byte(identifier[one.begin - 1]) &&
                               identifier[one.begin - 1] != '_';
    for (size_t j = i; j < words.size(); ++j) {
      if (words[j].descriptive) {
        one.letters += words[j].end - words[j].begin;
        ++one.descriptive;
      }
      if (!one.is_specific()) continue;
      const size_t end = words[j].end;
      const size_t next = j + 1 < words.size() ? words[j + 1].begin : identifier.size();
      one.cuts = (begins_inside ? 1U : 0U) + (next == end && end < identifier.size() ? 1U : 0U);
      one.text = identifier.substr(one.begin, end - one.begin);
      found.push_back(one);
      if (next == end || next == identifier.size()) continue;
      // With the separator of the next word: `acme_gate_` is not in `acme_gated`.
      one.text = identifier.substr(one.begin, next - one.begin);
      found.push_back(one);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Stretch& a, const Stretch& b) {
    return std::tuple(b.letters, a.cuts, a.text.size(), a.begin) <
           std::tuple(a.letters, b.cuts, b.text.size(), b.begin);
  });
  return found;
}

class Search {
 public:
  Search(const NameIndex& names, std::span<const size_t> members)
      : names_(names), members_(members), first_(names.parts(members[0])) {
    one_base_ = all([&](const NameParts& parts) { return parts.base == first_.base; });
    for (const std::string& argument : first_.arguments) {
      const bool shared = all([&](const NameParts& parts) {
        return std::find(parts.arguments.begin(), parts.arguments.end(), argument) !=
               parts.arguments.end();
      });
      if (shared) arguments_.push_back(argument);
    }
  }

  std::optional<NameExpression> run() {
    const bool any =
        of_base() || of_arguments() || of_both() || (members_.size() == 1 && of_whole());
    return any ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  template <class Test>
  bool all(const Test& test) const {
    return std::all_of(members_.begin(), members_.end(),
                       [&](size_t i) { return test(names_.parts(i)); });
  }

  bool take(Form form, std::string text, std::string also = {}) {
    found_ = {form, std::move(text), std::move(also)};
    return names_.matches_only(found_, members_);
  }

  bool of_base() {
    for (const Stretch& one : stretches_of(first_.base)) {
      const bool shared = one_base_ || all([&](const NameParts& parts) {
                            return parts.base.find(one.text) != std::string::npos;
                          });
      if (shared && take(Form::contains, one.text)) return true;
    }
    if (!one_base_) return false;
    if (!first_.qualified.empty() && is_specific_name(first_.qualified) &&
        take(Form::contains, first_.qualified)) {
      return true;
    }
    // `/\bkernel\b/` would match names of every kind that are seen later.
    const auto words = words_of(first_.base);
    return is_word(first_.base) &&
           std::any_of(words.begin(), words.end(),
                       [](const NameWord& word) { return word.descriptive; }) &&
           take(Form::word, first_.base);
  }

  /// With its namespace, even `scan` is specific.
  static bool is_specific_name(std::string_view qualified) {
    const auto words = words_of(qualified);
    const auto descriptive = std::count_if(words.begin(), words.end(),
                                           [](const NameWord& word) { return word.descriptive; });
    return descriptive > 1 && qualified.find('(') == qualified.npos;
  }

  static bool is_word(std::string_view text) {
    return text.size() > 2 && std::all_of(text.begin(), text.end(), is_identifier_byte);
  }

  bool of_arguments() {
    for (const std::string& argument : arguments_) {
      for (const Stretch& one : stretches_of(argument)) {
        if (one.text.size() == argument.size() && take(Form::contains, one.text)) return true;
      }
    }
    return false;
  }

  bool of_both() {
    if (!one_base_ || first_.base == names_.name(members_[0])) return false;
    for (const std::string& argument : arguments_) {
      if (take(Form::contains, first_.base, argument)) return true;
    }
    return false;
  }

  bool of_whole() {
    const std::string_view name = names_.name(members_[0]);
    if (name.empty()) return false;
    constexpr size_t max_prefixes = 64;
    auto words = words_of(name);
    words.resize(std::min(words.size(), max_prefixes));
    size_t descriptive = 0;
    for (const NameWord& word : words) {
      descriptive += word.descriptive ? 1 : 0;
      if (descriptive > 0 && take(Form::prefix, std::string(name.substr(0, word.end)))) return true;
    }
    return take(Form::whole, std::string(name));
  }

  const NameIndex& names_;
  std::span<const size_t> members_;
  const NameParts& first_;
  NameExpression found_;
  bool one_base_ = false;
  std::vector<std::string> arguments_;  // those that all members have
};

}  // namespace

bool NameExpression::matches(std::string_view name) const {
  switch (form) {
    case Form::contains:
      return name.find(text) != name.npos && name.find(also) != name.npos;
    case Form::word:
      return has_word(name, text);
    case Form::prefix:
      return name.starts_with(text);
    case Form::whole:
      return name == text;
  }
  return false;
}

std::string NameExpression::spelled() const {
  std::string quoted = syntax::quoted_text(text);
  switch (form) {
    case Form::contains:
      return also.empty() ? quoted : quoted + " & " + syntax::quoted_text(also);
    case Form::word:
      return "/\\b" + text + "\\b/";
    case Form::prefix:
      return "^" + quoted;
    case Form::whole:
      return "^" + quoted + "$";
  }
  return quoted;
}

NameIndex::NameIndex(std::vector<std::string_view> names) : names_(std::move(names)) {
  parts_.reserve(names_.size());
  begins_.reserve(names_.size());
  for (const std::string_view name : names_) {
    parts_.push_back(parts_of(name));
    begins_.push_back(joined_.size());
    joined_ += name;
    joined_ += '\n';
  }
}

bool NameIndex::matches_only(const NameExpression& expression,
                             std::span<const size_t> members) const {
  const std::string& text = expression.text;
  size_t next = 0;  // the first member that is not found yet
  for (size_t at = 0; at < joined_.size();) {
    const void* hit = memmem(joined_.data() + at, joined_.size() - at, text.data(), text.size());
    if (hit == nullptr) break;
    at = static_cast<size_t>(static_cast<const char*>(hit) - joined_.data());
    const auto i = static_cast<size_t>(std::upper_bound(begins_.begin(), begins_.end(), at) -
                                       begins_.begin() - 1);
    if (expression.matches(names_[i])) {
      if (next == members.size() || members[next] != i) return false;
      ++next;
    }
    at = begins_[i] + names_[i].size() + 1;
  }
  return next == members.size();
}

std::optional<NameExpression> find_expression(const NameIndex& names,
                                              std::span<const size_t> members) {
  return Search(names, members).run();
}

}  // namespace kr::coverage
