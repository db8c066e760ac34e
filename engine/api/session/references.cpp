#include "session/references.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/plural.hpp"
#include "session/session.hpp"
#include "session/state.hpp"

namespace kr::session {
namespace {

namespace fs = std::filesystem;

/// Of `bs_32_rank0.json.gz`, `graph_capture_rank_0.177.pt.trace.json.gz` and `…-TP-0.trace.json`.
std::optional<int64_t> rank_in(std::string_view name) {
  for (const std::string_view word : {"rank", "TP"}) {
    for (size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
      size_t begin = at + word.size();
      if (begin < name.size() && (name[begin] == '_' || name[begin] == '-')) ++begin;
      size_t end = begin;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
      if (end > begin) return integer_from(name.substr(begin, end - begin));
    }
  }
  return std::nullopt;
}

bool names_trace(std::string_view name) {
  constexpr std::array<std::string_view, 3> ends{".json", ".json.gz", ".json.zst"};
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

void add_files(const fs::path& folder, std::string_view begin, std::vector<std::string>& files) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(begin) && names_trace(name)) files.push_back(at->path().string());
  }
}

/// `found`: nobody named them, so what cannot be read does not matter to the run.
std::unique_ptr<align::References> read_references(
    const std::vector<std::string>& paths, bool found, trace::OpenOptions options,
    std::vector<std::pair<std::string, Warning>>& warnings) {
  auto references = std::make_unique<align::References>();
  options.host = trace::HostDetail::all;
  options.reference = true;
  options.rank.clear();
  const auto read = [&](const std::string& path) {
    for (const trace::Trace& trace : trace::open_traces(path, options)) {
      if (!trace.host) {
        throw Error(path, "is a reference without the calls of the host that launch kernels",
                    "name a trace of PyTorch's profiler or an nsys export with CUDA API calls");
      }
      references->add(trace);
      for (const trace::DroppedRecords& records : trace.dropped) {
        warnings.emplace_back(
            path, Warning{"reference-incomplete",
                          plural(records.count, "record") + " not read: " + records.what + "."});
      }
    }
  };
  size_t unusable = 0;
  for (const std::string& path : paths) {
    try {
      read(path);
    } catch (const Error& error) {
      if (!found) throw;
      ++unusable;
      warnings.emplace_back(path, Warning{"reference-unusable",
                                          "It is where engines write traces of captures, but "
                                          "places no kernels: " +
                                              error.why() + "."});
    }
  }
  if (references->empty() && unusable < paths.size()) {
    const bool unnamed = references->unnamed > 0;
    warnings.emplace_back(
        paths[0],
        Warning{"reference-without-names",
                unnamed ? "The calls that were captured do not name their kernels, as on NVIDIA "
                          "GPUs: the reference shows nothing. A trace of the same model without "
                          "graphs does."
                        : "The reference launches no kernels: it shows nothing."});
  }
  return references;
}

}  // namespace

std::vector<std::string> find_references(const std::string& run) {
  std::vector<std::string> files;
  if (run == "-") return files;
  const fs::path path(run);
  const std::string own = path.filename().string();
  if (own.starts_with("graph_capture_rank_")) return files;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const std::string_view name : {"capture_traces", "graph_capture_profile"}) {
    if (folder.filename() == name) return {};
    add_files(folder / name, "", files);
  }
  add_files(folder, "graph_capture_rank_", files);
  std::sort(files.begin(), files.end());
  const auto rank_of = [](const std::string& file) {
    return rank_in(fs::path(file).filename().string());
  };
  std::optional<int64_t> wanted = rank_in(own);
  if (!wanted) {
    for (const std::string& file : files) {
      if (const auto rank = rank_of(file); rank && (!wanted || *rank < *wanted)) wanted = rank;
    }
  }
  std::erase_if(files, [&](const std::string& file) {
    const auto rank = rank_of(file);
    return rank && wanted && *rank != *wanted;
  });
  return files;
}

align::References* Session::references_for(const classify::RunSpec& spec, bool ops,
                                           std::vector<Warning>& notes) {
  const bool found = state_->references.empty();
  std::vector<std::string> paths;
  for (const std::string& path : found ? find_references(spec.path) : state_->references) {
    if (path.empty()) throw Error("", "--reference names no file", "name a trace after it");
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  if (paths.empty()) return nullptr;
  std::unique_ptr<align::References>& known = state_->known_references[{paths, ops}];
  if (known == nullptr) {
    trace::OpenOptions options = state_->open;
    options.ops = ops;
    known = read_references(paths, found, options, state_->warnings);
  }
  if (known->empty()) return nullptr;
  if (found) {
    const std::string where = paths.size() == 1 ? paths[0]
                                                : plural(paths.size(), "trace") + " in " +
                                                      fs::path(paths[0]).parent_path().string();
    notes.push_back({"references-found", "Kernels of graphs are placed by " + where + ".", "info"});
  }
  return known.get();
}

}  // namespace kr::session
