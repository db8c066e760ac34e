// The findings of `kr lint` in a text, and the outcome of its tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kr/kr.hpp"

namespace kr {

/// A finding; docs/checks/ has a page about each code. Lines and columns (bytes) count from 1.
struct Finding {
  std::string code;      // `KR204`
  std::string name;      // `unknown-label`
  std::string severity;  // `error`, `warning`, `info`
  std::string path;      // of the text, or of a file that it uses
  uint64_t line = 0;
  uint64_t column = 0;
  uint64_t end_line = 0;
  uint64_t end_column = 0;  // one past the last byte
  std::string message;
  std::string help;     // may be empty
  std::string example;  // a name that shows it; may be empty
};

struct LintTextOptions {
  std::string path = "<text>";  // what findings call the text; no file of that name is opened
  bool infos = false;           // likely problems, too, as `kr lint --info`
  LoadOptions load = {};
};

/// The findings in the text of a rules file, by place, with the errors that prevent loading. Throws
/// Error if a file that it uses cannot be read.
std::vector<Finding> lint_text(std::string_view text, const LintTextOptions& options = {});

/// What the tests in a text say.
struct TextTests {
  uint64_t tests = 0;             // once per model
  uint64_t failed = 0;            // of them
  std::vector<Finding> findings;  // failures; or the errors that prevent loading, and no test ran
};
/// Runs the tests of a rules file, as `kr test`. `infos` means nothing. Throws Error as lint_text.
TextTests test_text(std::string_view text, const LintTextOptions& options = {});

}  // namespace kr
