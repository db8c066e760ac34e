// Makes the databases that are installed with kr: kr_databases ROOT FOLDER. ROOT holds stdlib/ and
// rulesets/; in FOLDER stands then one database for all rulesets together, as kr loads them when
// none is named, and one for each by itself.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "match/compiled_rules.hpp"

namespace fs = std::filesystem;

namespace {

void make(const std::vector<std::string>& names, const kr::Library& library,
          const kr::Database::Cache& cache) {
  kr::Sink sink;
  const kr::CompiledRules rules = kr::compile_rules(names, library, cache, sink);
  if (sink.has_errors()) {
    throw std::runtime_error((names.empty() ? "the shipped rules" : names.front()) +
                             " have errors; see kr lint");
  }
}

void make_all(const fs::path& root, const fs::path& folder) {
  const kr::Library library({root});
  // Those of older rules would stay for ever.
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".krhs") fs::remove(entry.path());
  }
  const kr::Database::Cache cache{.folder = folder, .installed = {}, .any_processor = true};
  make({}, library, cache);
  for (const std::string& ruleset : library.rulesets()) make({ruleset}, library, cache);
  const auto made =
      std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
                    [](const auto& entry) { return entry.path().extension() == ".krhs"; });
  if (made == 0) throw std::runtime_error(folder.string() + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: kr_databases ROOT FOLDER\n");
    return 2;
  }
  try {
    make_all(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kr_databases: %s\n", error.what());
    return 2;
  }
  return 0;
}
