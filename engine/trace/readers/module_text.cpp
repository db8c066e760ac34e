#include "trace/readers/module_text.hpp"

#include <algorithm>

namespace kr::trace {
namespace {

constexpr std::string_view module_class = "nn.Module: ";

/// Reads a dictionary as Python prints it, or as JSON: strings in either quotes, anything else by
/// its brackets.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : rest_(text) {}

  /// The text of the member of that key; empty: there is none, or it is not a text.
  std::string text_of(std::string_view wanted) {
    if (!take('{')) return {};
    std::string key;
    std::string value;
    while (read_string(key) && take(':')) {
      const bool is_text = read_string(value);
      if (key == wanted) return is_text ? value : std::string();
      if (!is_text) skip_value();
      if (!take(',')) break;
    }
    return {};
  }

 private:
  void skip_blanks() {
    const size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(first, rest_.size()));
  }
  bool take(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool read_string(std::string& out) {
    skip_blanks();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
    const char quote = rest_.front();
    out.clear();
    for (size_t i = 1; i < rest_.size(); ++i) {
      const bool escaped = rest_[i] == '\\' && i + 1 < rest_.size();
      if (!escaped && rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (escaped) ++i;
      out += rest_[i];
    }
    return false;
  }
  /// To the comma or bracket behind a value.
  void skip_value() {
    size_t depth = 0;
    std::string ignored;
    while (!rest_.empty()) {
      const char one = rest_.front();
      if (one == '\'' || one == '"') {
        if (!read_string(ignored)) rest_ = {};
        continue;
      }
      if (depth == 0 && (one == ',' || one == '}')) return;
      if (one == '[' || one == '(' || one == '{') ++depth;
      if ((one == ']' || one == ')' || one == '}') && depth > 0) --depth;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

}  // namespace

std::string module_of_text(std::string_view text) {
  if (text.starts_with(module_class)) return std::string(text.substr(module_class.size()));
  if (text.empty() || text.front() != '{') return {};
  std::string name = Dictionary(text).text_of("Module");
  for (const std::string_view head :
       {"Torch Compiled Module (input):", "Torch Compiled Module (output):"}) {
    if (name.starts_with(head)) name.erase(0, head.size());
  }
  return name;
}

}  // namespace kr::trace
