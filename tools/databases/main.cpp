// Makes what is installed with kr so that nobody waits for it: kr_databases ROOT FOLDER. ROOT has
// stdlib/ and rulesets/; FOLDER then has a database for all rulesets together, as kr loads
// them when none is named, one for each by itself, and what `kr lint` proves about all files and
// finds in them.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "lint/lint_files.hpp"

namespace fs = std::filesystem;

namespace {

bool is_made_here(const fs::path& file) {
  return file.extension() == ".krhs" || file.extension() == ".krproofs" ||
         file.extension() == ".krfindings";
}

kr::match::CompiledRules compiled(const std::vector<std::string>& names,
                                  const kr::source::Library& library,
                                  const kr::match::Database::Cache& cache) {
  kr::diag::Sink sink;
  kr::match::CompiledRules rules = kr::match::compile_rules(names, library, cache, sink);
  const std::string all = names.empty() ? "the shipped rules" : names.front();
  if (sink.has_errors()) throw std::runtime_error(all + " have errors; see kr lint");
  return rules;
}

void make(const std::string& ruleset, const kr::source::Library& library,
          const kr::match::Database::Cache& cache) {
  const kr::match::CompiledRules rules = compiled({ruleset}, library, cache);
  // Writing to a cache never fails, so it is read back.
  if (!kr::match::Database::find(rules.program(), cache)) {
    throw std::runtime_error(cache.folder.string() + ": the database of " + ruleset +
                             " cannot be written");
  }
}

/// That of all together also serves rules that use some of them.
void make_shipped(const kr::source::Library& library, const fs::path& folder) {
  const kr::match::CompiledRules rules =
      compiled({}, library, {.folder = {}, .install = {}, .any_processor = true});
  if (!rules.database->write_shipped(folder)) {
    throw std::runtime_error(folder.string() +
                             ": the database of the shipped rules cannot be written");
  }
}

void prove_all(const fs::path& root, const kr::source::Library& library,
               const kr::match::Database::Cache& cache) {
  std::vector<std::string> files;
  for (const char* below : {"stdlib", "rulesets"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / below)) {
      if (entry.path().extension() == ".kr") files.push_back(entry.path().string());
    }
  }
  // The same files give the same bytes.
  std::sort(files.begin(), files.end());
  kr::lint::LintFilesOptions options;
  options.lint.infos = false;
  options.cache = cache;
  kr::lint::lint_files(files, library, options);
}

void make_all(const fs::path& root, const fs::path& folder) {
  const kr::source::Library library({root});
  // Those of older rules would stay for ever.
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (is_made_here(entry.path())) fs::remove(entry.path());
  }
  const kr::match::Database::Cache cache{.folder = folder, .install = {}, .any_processor = true};
  make_shipped(library, folder);
  for (const std::string& ruleset : library.rulesets()) make(ruleset, library, cache);
  prove_all(root, library, cache);
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
