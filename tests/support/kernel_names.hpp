// The real names of kernels that the tests have.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace kr::test {

/// The names of the project's two lists, and of the shared data where it is; sorted, distinct.
inline std::vector<std::string> kernel_names() {
  const std::filesystem::path root = test::source_folder();
  std::set<std::string> names;
  for (const std::filesystem::path& file :
       {root / "tests/data/names.tsv", root / "tests/rulesets/names.tsv",
        root.parent_path() / "shared/data/names/dev.tsv"}) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);  // the head
    while (std::getline(in, line)) names.insert(line.substr(0, line.find('\t')));
  }
  return {names.begin(), names.end()};
}

}  // namespace kr::test
