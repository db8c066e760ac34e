// The short forms of names. A name is read as C++ if possible: brackets that nothing closes, as
// in names that a profiler cut off, end with the name.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/ascii.hpp"
#include "base/demangle.hpp"
#include "text/names.hpp"
#include "text/text_grid.hpp"

namespace kr::text {
namespace {

/// What is shown of a name. Each form shows more than the one before.
enum class NameForm : uint8_t { shortest, with_parameters, demangled, original };

/// Namespaces that say which library a kernel is of, or nothing. Only in front of a name.
constexpr std::string_view common_scopes =
    "at at_cuda_detail c10 caffe2 ck ck_tile cub cuda cuda_cub cute cutlass cutlass_cudnn_infer "
    "cutlass_cudnn_train detail device hip_rocprim hipcub impl internal native rocprim std "
    "tensor_operation thrust";

bool in_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

/// `CUB_200600_800_NS`, `__4`, `_GLOBAL__N__d8ceb000_…`: made by a build, and not by who wrote the
/// kernel.
bool is_generated_scope(std::string_view word) {
  if (word.starts_with("_GLOBAL__N_")) return true;
  const auto numbers = [](std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '_'; });
  };
  if (word.starts_with("__")) return numbers(word.substr(2));
  if (!word.ends_with("_NS")) return false;
  const size_t digits = word.find('_');
  return numbers(word.substr(digits, word.size() - 3 - digits));
}

/// Where each bracket of a C++ name ends.
class Brackets {
 public:
  explicit Brackets(std::string_view text) : text_(text), ends_(text.size(), none) {
    std::vector<size_t> open;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text.substr(i).starts_with("operator") && (i == 0 || !in_word(text[i - 1]))) {
        i = end_of_operator(i) - 1;
        continue;
      }
      const char c = text[i];
      if (c == '<' || c == '(' || c == '[' || c == '{') open.push_back(i);
      if (c == '>' && i > 0 && text[i - 1] != '-' && !open.empty() && text[open.back()] == '<') {
        close(open, i);
      } else if (c == ')' || c == ']' || c == '}') {
        // What is open inside is `<` that opened nothing.
        const char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
        size_t from = open.size();
        while (from > 0 && text[open[from - 1]] == '<') --from;
        if (from == 0 || text[open[from - 1]] != opener) continue;
        open.resize(from);
        close(open, i);
      }
    }
    for (const size_t at : open) ends_[at] = text.size();
  }

  /// Of the bracket that opens at `at`, the place of the one that closes it; the size of the text
  /// if nothing does. `none` where no bracket opens.
  size_t end(size_t at) const { return ends_[at]; }
  static constexpr size_t none = std::string_view::npos;

  /// The end of `operator<<`, `operator()` or `operator ()` that begins at `at`.
  size_t end_of_operator(size_t at) const {
    size_t i = at + std::string_view("operator").size();
    if (i < text_.size() && in_word(text_[i])) return i;
    if (text_.substr(i).starts_with("()")) return i + 2;
    if (text_.substr(i).starts_with(" ()")) return i + 3;
    while (i < text_.size() && std::string_view("<>=!+-*/%^&|~[]").find(text_[i]) != none) ++i;
    return i;
  }

 private:
  void close(std::vector<size_t>& open, size_t at) {
    ends_[open.back()] = at;
    open.pop_back();
  }

  std::string_view text_;
  std::vector<size_t> ends_;
};

class NameShortener {
 public:
  NameShortener(std::string_view text, bool with_parameters)
      : text_(text), brackets_(text), with_parameters_(with_parameters) {}

  std::string shortened() {
    at_ = begin_of_name();
    out_.reserve(text_.size() - at_);
    while (at_ < text_.size()) step();
    while (out_.ends_with(' ')) out_.pop_back();
    // All kernels of AMD have it.
    for (const std::string_view descriptor : {" [clone .kd]", ".kd"}) {
      if (out_.ends_with(descriptor)) out_.resize(out_.size() - descriptor.size());
    }
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool follows(std::string_view what) const { return rest().starts_with(what); }
  char before() const { return out_.empty() ? '\0' : out_.back(); }

  /// What is between the bracket at `at` and its end.
  std::string_view inside(size_t at) const {
    return text_.substr(at + 1, brackets_.end(at) - at - 1);
  }
  size_t after(size_t at) const { return std::min(brackets_.end(at) + 1, text_.size()); }

  /// Whether a list of types opens: of a function, rather than of a call, a module or a remark.
  bool is_parameter_list(size_t at) const {
    if (text_[at] != '(' || at == 0 || brackets_.end(at) == Brackets::none) return false;
    const char last = text_[at - 1];
    const bool of_operator = last == ')' && at >= 2 && text_[at - 2] == '(';
    if (!in_word(last) && last != '>' && last != '}' && last != ']' && last != '\'' && !of_operator)
      return false;
    if (is_word_before(at, "decltype") || is_word_before(at, "noexcept") ||
        is_word_before(at, "sizeof") || is_word_before(at, "alignof"))
      return false;
    const std::string_view list = inside(at);
    return list.find('=') == std::string_view::npos && (list.empty() || !is_digit(list[0]));
  }
  bool is_word_before(size_t at, std::string_view word) const {
    return text_.substr(0, at).ends_with(word) &&
           (at == word.size() || !in_word(text_[at - word.size() - 1]));
  }

  /// After the return type, if there is one.
  size_t begin_of_name() const {
    size_t space = Brackets::none;
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_.substr(i).starts_with("operator") && (i == 0 || !in_word(text_[i - 1]))) {
        i = brackets_.end_of_operator(i) - 1;
        i += text_.substr(i + 1).starts_with(" <") ? 1 : 0;  // `operator<< <int>`
      } else if (is_parameter_list(i)) {
        return space != Brackets::none && is_type(text_.substr(0, space)) ? space + 1 : 0;
      } else if (brackets_.end(i) != Brackets::none) {
        i = brackets_.end(i);
      } else if (text_[i] == ' ') {
        space = i;
      }
    }
    return text_.starts_with("void ") ? 5 : 0;
  }
  static bool is_type(std::string_view text) {
    constexpr std::array<std::string_view, 9> words{"void",  "auto",   "bool",   "int",     "long",
                                                    "float", "double", "__half", "unsigned"};
    const std::string_view last = text.substr(text.rfind(' ') + 1);
    return text.find("::") != std::string_view::npos || text.find('<') != std::string_view::npos ||
           std::find(words.begin(), words.end(), last) != words.end();
  }

  void step() {
    const char c = text_[at_];
    if (skip_unnamed_scope() || skip_cast()) return;
    if (is_parameter_list(at_)) return parameters();
    if (c == ' ') return space();
    if (is_digit(c)) return number();
    if (in_word(c)) return word();
    out_ += c;
    ++at_;
  }

  bool skip_unnamed_scope() {
    for (const std::string_view one : {"(anonymous namespace)::", "<unnamed>::", "{anonymous}::"}) {
      if (!follows(one)) continue;
      at_ += one.size();
      return true;
    }
    return false;
  }

  /// `(int)` of `(int)128`, `(Kind)0`.
  bool skip_cast() {
    if (text_[at_] != '(' || in_word(before()) || before() == '>') return false;
    const size_t end = brackets_.end(at_);
    if (end == Brackets::none || end + 1 >= text_.size()) return false;
    const size_t value = end + (text_[end + 1] == '-' ? 2 : 1);
    if (value >= text_.size() || !is_digit(text_[value])) return false;
    at_ = end + 1;
    return true;
  }

  /// Those of a lambda distinguish it from others of the same function.
  void parameters() {
    const bool lambda = is_word_before(at_, "lambda") || (at_ > 0 && text_[at_ - 1] == '\'');
    const bool keeps = !inside(at_).empty() && (with_parameters_ || lambda);
    if (keeps) {
      out_ += text_[at_++];
      return;
    }
    at_ = after(at_);
    if (!lambda && follows(" const")) at_ += 6;
  }

  void space() {
    ++at_;
    if (before() == '>' && follows(">")) return;  // `> >`
    // `char *>`
    const bool pointer = follows("*") || follows("&");
    const char next = rest().size() > 1 ? rest()[1] : ')';
    if (pointer && (next == ',' || next == ')' || next == '>')) return;
    out_ += ' ';
  }

  /// `3` of `3ul`.
  void number() {
    size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    size_t digits = end;
    while (digits > at_ &&
           std::string_view("uUlL").find(text_[digits - 1]) != std::string_view::npos)
      --digits;
    const bool whole = std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                   text_.begin() + static_cast<std::ptrdiff_t>(digits), is_digit);
    out_ += text_.substr(at_, (whole ? digits : end) - at_);
    at_ = end;
  }

  void word() {
    size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    const std::string_view one = text_.substr(at_, end - at_);
    if (one == "operator") return operator_name();
    if (one == "void" && is_return_type(end)) {
      at_ = end + 1;
      return;
    }
    const bool scope = text_.substr(end).starts_with("::");
    const bool first = before() != ':';
    if (scope && (is_generated_scope(one) || (first && is_common(one)))) {
      at_ = end + 2;
      return;
    }
    out_ += one;
    at_ = end;
  }
  /// Of a function that is an argument of a template.
  bool is_return_type(size_t end) const {
    const std::string_view next = text_.substr(end);
    return next.size() > 1 && next[0] == ' ' && in_word(next[1]) && !next.starts_with(" const") &&
           !next.starts_with(" volatile");
  }
  static bool is_common(std::string_view scope) { return has_word(common_scopes, scope); }

  /// That of a lambda is the lambda itself.
  void operator_name() {
    const size_t end = brackets_.end_of_operator(at_);
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    const bool call = name.ends_with("()") && at_ < text_.size() && text_[at_] == '(';
    const bool of_lambda = out_.ends_with("}::") || out_.ends_with("]::");
    if (call && of_lambda && !with_parameters_) {
      out_.resize(out_.size() - 2);
    } else {
      out_ += name;
    }
  }

  std::string_view text_;
  Brackets brackets_;
  bool with_parameters_;
  size_t at_ = 0;
  std::string out_;
};

/// Whether a name can be a C++ name, by its first character.
bool begins_as_cpp(std::string_view text) {
  if (text.starts_with("(anonymous namespace)") || text.starts_with("<unnamed>")) return true;
  return !text.empty() && in_word(text[0]) && !is_digit(text[0]);
}

std::string in_form(std::string_view name, NameForm form) {
  if (form == NameForm::original) return cut(name, 0);
  const std::optional<std::string> decoded = demangled(name);
  const std::string_view text = decoded ? std::string_view(*decoded) : name;
  if (form == NameForm::demangled || !begins_as_cpp(text)) return cut(text, 0);
  const std::string shown = NameShortener(text, form == NameForm::with_parameters).shortened();
  return cut(shown.empty() ? text : shown, 0);
}

}  // namespace

std::string short_name(std::string_view name) {
  return in_form(name, NameForm::shortest);
}

std::vector<std::string> short_names(std::span<const std::string_view> names) {
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const std::string_view name : names) texts.push_back(short_name(name));
  std::vector<NameForm> forms(names.size(), NameForm::shortest);
  for (bool changed = true; changed;) {
    changed = false;
    std::unordered_map<std::string_view, uint32_t> counts;
    for (const std::string& text : texts) ++counts[text];
    if (counts.size() == texts.size()) break;
    std::vector<size_t> equal;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (counts[texts[i]] > 1 && forms[i] != NameForm::original) equal.push_back(i);
    }
    for (const size_t i : equal) {
      forms[i] = static_cast<NameForm>(static_cast<uint8_t>(forms[i]) + 1);
      texts[i] = in_form(names[i], forms[i]);
      changed = true;
    }
  }
  return texts;
}

}  // namespace kr::text
