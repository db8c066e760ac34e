#include "trace/readers/module_text.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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
    std::string text;
    return Dictionary(value_of(wanted)).read_string(text) ? text : std::string();
  }

  /// The member of that key, as it is written; empty: there is none.
  std::string_view value_of(std::string_view wanted) {
    if (!take('{')) return {};
    std::string key;
    std::string value;
    while (read_string(key) && take(':')) {
      skip_blanks();
      const std::string_view begin = rest_;
      if (!read_string(value)) skip_value();
      if (key == wanted) return begin.substr(0, begin.size() - rest_.size());
      if (!take(',')) break;
    }
    return {};
  }

  /// `[8, 4096]`; false: it is not a list of sizes.
  bool read_sizes(std::vector<int64_t>& out) {
    out.clear();
    if (!take('[')) return false;
    while (!take(']')) {
      skip_blanks();
      size_t digits = 0;
      int64_t value = 0;
      while (digits < rest_.size() && digits < max_digits && rest_[digits] >= '0' &&
             rest_[digits] <= '9') {
        value = 10 * value + (rest_[digits++] - '0');
      }
      if (digits == 0) return false;
      rest_.remove_prefix(digits);
      out.push_back(value);
      if (take(']')) return true;
      if (!take(',')) return false;
    }
    return true;
  }

  /// `[[8, 4096], [8]]`, up to what is not a list of sizes.
  std::vector<std::vector<int64_t>> shapes() {
    std::vector<std::vector<int64_t>> found;
    std::vector<int64_t> one;
    if (!take('[')) return found;
    while (read_sizes(one)) {
      found.push_back(one);
      if (!take(',')) break;
    }
    return found;
  }

 private:
  static constexpr size_t max_digits = 18;  // of a size

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

OpArguments module_arguments(std::string_view text) {
  OpArguments arguments;
  const auto inputs = Dictionary(Dictionary(text).value_of("Inputs")).shapes();
  if (inputs.empty()) return arguments;
  const auto add = [&](std::vector<int64_t> dims) {
    OpArgument one;
    one.kind = OpArgument::Kind::tensor;
    one.dims = std::move(dims);
    arguments.push_back(std::move(one));
  };
  const std::string_view parameters = Dictionary(text).value_of("TrainableParams");
  for (const std::string_view name : {"weight", "bias"}) {
    std::vector<int64_t> dims;
    if (Dictionary(Dictionary(parameters).value_of(name)).read_sizes(dims)) {
      add(std::move(dims));
    } else {
      arguments.emplace_back();
    }
  }
  for (const std::vector<int64_t>& dims : inputs) add(dims);
  return arguments;
}

}  // namespace kr::trace
