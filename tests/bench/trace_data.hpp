// Large traces for the benchmarks of trace/: written once by tests/data/make_traces.py into a
// folder of the system's temporary ones.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "support/source_folder.hpp"

namespace kr::bench {

/// A real trace where there is one.
inline std::string like(const std::string& form) {
  const std::string real = test::source_folder() + "/../shared/data/kineto/v100_ddp_large.json.gz";
  return form == "kineto" && std::filesystem::exists(real) ? " --like '" + real + "'" : "";
}

/// `form`: `csv`, `sqlite` or `kineto` (of which a row is 54 MB).
inline std::string large_trace(const std::string& form, int rows) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "kr-bench";
  fs::create_directories(folder);
  const fs::path path = folder / fmt::format("{}.{}", rows, form);
  if (fs::exists(path)) return path.string();
  const fs::path aside = path.string() + ".part";
  const std::string command =
      fmt::format("python3 '{}/tests/data/make_traces.py' --{} '{}' --rows {}{}",
                  test::source_folder(), form, aside.string(), rows, like(form));
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot make " + path.string());
  fs::rename(aside, path);
  return path.string();
}

}  // namespace kr::bench
