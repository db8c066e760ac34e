#include "coverage/name_parts.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.hpp"

namespace kr::coverage {
namespace {

/// Words for element types, layouts and processors, and words that any kernel may have.
constexpr std::array common_words{
    "anonymous", "bf",     "bfloat",  "bool",     "char", "const",     "cta",  "double",
    "false",     "true",   "type",    "float",    "fp",   "gfx",       "half", "impl",
    "int",       "kernel", "kernels", "ldg",      "long", "namespace", "nchw", "nhwc",
    "nn",        "nt",     "ptx",     "short",    "sm",   "stages",    "std",  "tf",
    "tn",        "tt",     "uint",    "unsigned", "void", "warp"};

/// Bytes beyond ASCII count as lower case letters: identifiers may have them.
bool is_small(char c) {
  return is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_letter(char c) {
  return is_upper(c) || is_small(c);
}
bool is_name_byte(char c) {
  return is_name_letter(c) || is_digit(c) || c == '_' || c == '$';
}

/// One past the word that begins at `at`, a letter or digit.
size_t word_end(std::string_view text, size_t at) {
  const auto run = [&](size_t from, bool (*of)(char)) {
    while (from < text.size() && of(text[from])) ++from;
    return from;
  };
  if (is_digit(text[at])) return run(at, is_digit);
  if (is_small(text[at])) return run(at, is_small);
  const size_t upper = run(at, is_upper);
  if (upper == text.size() || !is_small(text[upper])) return upper;
  return upper - at > 1 ? upper - 1 : run(upper, is_small);  // `RMSNorm` is `RMS` and `Norm`
}

bool is_descriptive(const std::string& word) {
  return word.size() > 1 && !is_digit(word[0]) &&
         std::find(common_words.begin(), common_words.end(), word) == common_words.end();
}

bool has_descriptive_word(std::string_view identifier) {
  const auto words = words_of(identifier);
  return std::any_of(words.begin(), words.end(),
                     [](const NameWord& one) { return one.descriptive; });
}

/// The identifiers of a text, in order.
std::vector<std::string_view> identifiers(std::string_view text) {
  std::vector<std::string_view> found;
  for (size_t at = 0; at < text.size();) {
    if (!is_name_byte(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < text.size() && is_name_byte(text[at])) ++at;
    if (!is_digit(text[begin])) found.push_back(text.substr(begin, at - begin));
  }
  return found;
}

void add_arguments(const std::vector<std::string_view>& found, NameParts& parts) {
  for (const std::string_view one : found) {
    if (parts.arguments.size() == NameParts::max_arguments) return;
    const bool known =
        std::find(parts.arguments.begin(), parts.arguments.end(), one) != parts.arguments.end();
    if (!known && one != parts.base && has_descriptive_word(one)) parts.arguments.emplace_back(one);
  }
}

/// `_ZN4acme3fooILi4EEEvPf`: each identifier follows its length; those of the function's own name
/// come before the first `I` or `E` between them.
std::optional<NameParts> mangled_parts(std::string_view name) {
  size_t at = 2;
  bool nested = false;
  while (at < name.size() && (name[at] == 'N' || name[at] == 'K' || name[at] == 'L')) {
    nested |= name[at] == 'N';
    ++at;
  }
  const auto next = [&]() -> std::optional<std::string_view> {
    size_t length = 0;
    size_t from = at;
    while (from < name.size() && is_digit(name[from]) && length < name.size()) {
      length = length * 10 + static_cast<size_t>(name[from++] - '0');
    }
    if (length == 0 || length > name.size() - from) return std::nullopt;
    at = from + length;
    return name.substr(from, length);
  };
  NameParts parts;
  while (const auto word = next()) {
    parts.base = *word;
    if (!nested) break;
  }
  if (parts.base.empty()) return std::nullopt;
  std::vector<std::string_view> others;
  while (at < name.size()) {
    if (is_digit(name[at])) {
      if (const auto word = next()) {
        others.push_back(*word);
        continue;
      }
      while (at < name.size() && is_digit(name[at])) ++at;
      continue;
    }
    ++at;
  }
  std::erase_if(others, [](std::string_view word) { return !is_name_byte(word[0]); });
  add_arguments(others, parts);
  return parts;
}

constexpr std::string_view anonymous = "(anonymous namespace)";

/// The function's name as written, without template arguments, and where its arguments begin.
struct Head {
  std::string text;
  size_t end = 0;        // the begin of the parameters, or the size of the name
  size_t arguments = 0;  // the first byte of template arguments or parameters
};

Head head_of(std::string_view name) {
  Head head;
  head.arguments = name.size();
  size_t depth = 0;
  size_t at = 0;
  for (; at < name.size(); ++at) {
    const char c = name[at];
    if (name.substr(at).starts_with(anonymous)) {
      if (depth == 0) head.text += anonymous;
      at += anonymous.size() - 1;
      continue;
    }
    if (c == '(' && depth == 0) break;
    if (c == '<' || c == '{' || c == '(') {
      head.arguments = std::min(head.arguments, at);
      ++depth;
    } else if ((c == '>' || c == '}' || c == ')') && depth > 0) {
      --depth;
    } else if (depth == 0) {
      head.text += c;
    }
  }
  head.end = at;
  head.arguments = std::min(head.arguments, at);
  return head;
}

}  // namespace

std::vector<NameWord> words_of(std::string_view identifier) {
  std::vector<NameWord> words;
  for (size_t at = 0; at < identifier.size();) {
    if (!is_name_letter(identifier[at]) && !is_digit(identifier[at])) {
      ++at;
      continue;
    }
    NameWord word{at, word_end(identifier, at), {}, false};
    word.text = lowered(identifier.substr(word.begin, word.end - word.begin));
    word.descriptive = is_descriptive(word.text);
    at = word.end;
    words.push_back(std::move(word));
  }
  return words;
}

NameParts parts_of(std::string_view name) {
  if (name.starts_with("_Z")) {
    if (auto parts = mangled_parts(name)) return std::move(*parts);
  }
  const Head head = head_of(name);
  if (head.arguments == name.size() && name.find(' ') != name.npos) {
    // A function's name with blanks has arguments.
    NameParts parts;
    parts.base = name;
    return parts;
  }
  // The return type ends at the last blank that is not inside `(anonymous namespace)`.
  std::string_view own = head.text;
  while (own.ends_with(' ')) own.remove_suffix(1);
  for (size_t at = own.size(); at-- > 0;) {
    if (own.substr(0, at + 1).ends_with(anonymous)) {
      at -= anonymous.size() - 1;
      continue;
    }
    if (own[at] == ' ') {
      own.remove_prefix(at + 1);
      break;
    }
  }
  NameParts parts;
  const size_t colons = own.rfind("::");
  const std::string_view base = colons == own.npos ? own : own.substr(colons + 2);
  if (words_of(base).empty()) {
    parts.base = name;
    return parts;
  }
  parts.base = base;
  if (colons != own.npos && name.find(own) != name.npos) parts.qualified = own;
  add_arguments(identifiers(name.substr(head.arguments)), parts);
  return parts;
}

std::string descriptive_words(std::string_view identifier) {
  const auto words = words_of(identifier);
  std::string descriptive;
  std::string all;
  for (const NameWord& word : words) {
    all += (all.empty() ? "" : " ") + word.text;
    if (word.descriptive) descriptive += (descriptive.empty() ? "" : " ") + word.text;
  }
  return descriptive.empty() ? all : descriptive;
}

std::vector<std::string> likeness_words(std::string_view name) {
  const NameParts parts = parts_of(name);
  std::vector<std::string> found;
  const auto add = [&](std::string_view identifier) {
    for (NameWord& word : words_of(identifier)) {
      if (word.descriptive) found.push_back(std::move(word.text));
    }
  };
  add(parts.base);
  for (const std::string& argument : parts.arguments) add(argument);
  std::sort(found.begin(), found.end());
  return found;
}

double likeness(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return 0;
  size_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const int order = x->compare(*y);
    common += order == 0;
    if (order <= 0) ++x;
    if (order >= 0) ++y;
  }
  return 2 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

}  // namespace kr::coverage
