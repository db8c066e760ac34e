// What the table `list_config` is made from.
#pragma once

#include <string>

namespace kr::tables {

/// An option of the command line or a variable of the environment, as it is in force.
struct Setting {
  std::string verb;    // empty: of all
  std::string option;  // `--rules`, `KR_PATH`
  std::string value;   // empty: the default, as `doc` says
  std::string from;    // `default`, `FILE:LINE:COLUMN`, `environment`, `command line`
  std::string doc;
};

}  // namespace kr::tables
