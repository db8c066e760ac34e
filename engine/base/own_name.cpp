#include "base/own_name.hpp"

#include <optional>

#include "base/ascii.hpp"
#include "base/demangle.hpp"

namespace kr {
namespace {

constexpr std::string_view unnamed_scopes[] = {
    "(anonymous namespace)::", "<unnamed>::", "{anonymous}::"};

bool in_word(char c) {
  return is_identifier_byte(c) || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

class OwnName {
 public:
  explicit OwnName(std::string_view text) : text_(text) {}

  std::string find() && {
    if (!begins_as_function()) return std::string(text_);
    while (at_ < text_.size() && step()) {
    }
    while (own_.ends_with("::")) own_.resize(own_.size() - 2);
    const bool found = brackets_ || text_.starts_with("void ");
    return found && !own_.empty() ? std::move(own_) : std::string(text_);
  }

 private:
  bool begins_as_function() const {
    if (text_.empty()) return false;
    if (in_word(text_[0]) && !is_digit(text_[0])) return true;
    return starts_unnamed(0) > 0;
  }
  size_t starts_unnamed(size_t at) const {
    for (const std::string_view scope : unnamed_scopes) {
      if (text_.substr(at).starts_with(scope)) return scope.size();
    }
    return 0;
  }

  /// False at the end of the own name.
  bool step() {
    if (const size_t size = starts_unnamed(at_)) {
      brackets_ = true;
      at_ += size;
      return true;
    }
    const char c = text_[at_];
    if (in_word(c)) return word();
    if (c == ':') {
      own_ += c;
      ++at_;
      return true;
    }
    if (c == ' ') return space();
    if (c == '~' && own_.ends_with("::")) {
      own_ += c;
      ++at_;
      return true;
    }
    if ((c == '<' || c == '(') && at_ > 0 && (in_word(text_[at_ - 1]) || after_operator_)) {
      brackets_ = true;
      if (c == '(' && !is_decltype()) return false;
      at_ = past_bracket(at_);
      return goes_on();
    }
    if (c == '(' && at_ > 0 && text_[at_ - 1] == '>') return false;
    if (c == '*' || c == '&') {  // of a return type
      ++at_;
      return true;
    }
    // Not a name of a function.
    own_.clear();
    return false;
  }

  bool word() {
    size_t end = at_;
    while (end < text_.size() && in_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    own_ += word;
    at_ = end;
    after_operator_ = word == "operator";
    if (after_operator_) {
      end = past_operator(at_);
      own_ += text_.substr(at_, end - at_);
      at_ = end;
    }
    return true;
  }
  /// After the sign of an operator: `()`, `<<`, `[]`.
  size_t past_operator(size_t at) const {
    const std::string_view rest = text_.substr(at);
    // The longest that fits. Before template arguments, decoders write a space after one that ends
    // with `<`.
    for (const std::string_view sign :
         {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
          "||",  "++",  "--",  "->",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|="}) {
      if (rest.starts_with(sign)) return at + sign.size();
    }
    const bool sign = !rest.empty() && std::string_view("<>=!+-*/%^&|~,").find(rest[0]) != npos;
    return sign ? at + 1 : at;
  }

  /// What was before the space was a return type, if a name follows.
  bool space() {
    size_t next = at_;
    while (next < text_.size() && text_[next] == ' ') ++next;
    if (next == text_.size()) return false;
    const char c = text_[next];
    if (after_operator_ && (c == '<' || c == '(')) {
      at_ = next;
      return true;
    }
    if (!in_word(c) && c != '*' && c != '&' && starts_unnamed(next) == 0) return false;
    own_.clear();
    at_ = next;
    return true;
  }

  /// After a closed bracket: whether the name goes on.
  bool goes_on() const {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    return c == ':' || c == '(' || c == '*' || c == '&' || (c == ' ' && a_name_follows());
  }
  bool a_name_follows() const {
    size_t next = at_;
    while (next < text_.size() &&
           (text_[next] == ' ' || text_[next] == '*' || text_[next] == '&')) {
      ++next;
    }
    return next < text_.size() && (in_word(text_[next]) || starts_unnamed(next) > 0);
  }
  bool is_decltype() const { return own_ == "decltype"; }

  /// After the bracket that closes the one at `at`; the end if nothing does.
  size_t past_bracket(size_t at) const {
    std::string open;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '<' || c == '(' || c == '[' || c == '{') open += c;
      if (c == '>' && text_[at - 1] != '-' && open.back() == '<') open.pop_back();
      if (c == ')' || c == ']' || c == '}') {
        const char opener = c == ')' ? '(' : c == ']' ? '[' : '{';
        // What is open inside is `<` that opened nothing.
        size_t from = open.size();
        while (from > 0 && open[from - 1] == '<') --from;
        if (from > 0 && open[from - 1] == opener) open.resize(from - 1);
      }
      if (open.empty()) return at + 1;
    }
    return at;
  }

  static constexpr size_t npos = std::string_view::npos;
  std::string_view text_;
  size_t at_ = 0;
  bool after_operator_ = false;
  bool brackets_ = false;
  std::string own_;
};

}  // namespace

std::string own_name(std::string_view name) {
  const std::optional<std::string> decoded = demangled(name);
  return OwnName(decoded ? std::string_view(*decoded) : name).find();
}

}  // namespace kr
