// Something that a reader of results should know although nothing failed.
#pragma once

#include <string>

namespace kr {

struct Warning {
  std::string code;                  // stable, for programs: `truncated`
  std::string text;                  // for people, a whole sentence
  std::string severity = "warning";  // or `info`

  friend bool operator==(const Warning& a, const Warning& b) { return a.text == b.text; }
};

}  // namespace kr
