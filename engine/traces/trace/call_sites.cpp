#include "trace/call_sites.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "trace/launched.hpp"
#include "trace/open_op_calls.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

/// Folders between a program and its kernels; PyTorch cuts what comes before them.
constexpr std::array frameworks{"torch"sv, "triton"sv, "functorch"sv};
/// Of Python's library: files and folders at the top.
constexpr std::array library_files{"_collections_abc.py"sv,
                                   "abc.py"sv,
                                   "collections"sv,
                                   "concurrent"sv,
                                   "contextlib.py"sv,
                                   "copy.py"sv,
                                   "asyncio"sv,
                                   "dataclasses.py"sv,
                                   "enum.py"sv,
                                   "functools.py"sv,
                                   "importlib"sv,
                                   "inspect.py"sv,
                                   "logging"sv,
                                   "multiprocessing"sv,
                                   "queue.py"sv,
                                   "runpy.py"sv,
                                   "threading.py"sv,
                                   "typing.py"sv,
                                   "warnings.py"sv,
                                   "weakref.py"sv};

bool is_any(std::string_view part, const auto& all) noexcept {
  return std::ranges::find(all, part) != all.end();
}

/// The place of `(` in `file(line): function`; npos: it is none.
size_t line_place(std::string_view frame) noexcept {
  const size_t open = frame.find('(');
  const size_t close = frame.find("): "sv, open);
  if (open == 0 || close == frame.npos || close == open + 1) return frame.npos;
  const std::string_view line = frame.substr(open + 1, close - open - 1);
  return std::ranges::all_of(line, [](char c) { return is_digit(c); }) ? open : frame.npos;
}

}  // namespace

bool is_call_site(std::string_view frame) noexcept {
  const size_t end = frame.starts_with('<') ? frame.npos : line_place(frame);
  if (end == frame.npos) return false;
  const std::string_view file = frame.substr(0, end);
  const bool packages = file.find("-packages/") != file.npos;
  if (!packages && file.find("/lib/python") != file.npos) return false;
  // Its first folder, or the first behind those of packages.
  const size_t at = packages ? file.rfind("-packages/") + "-packages/"sv.size() : 0;
  const std::string_view top = file.substr(at, std::min(file.find('/', at), file.size()) - at);
  return !is_any(top, frameworks) && !is_any(top, library_files);
}

CallSite call_site_from(std::string_view frame) noexcept {
  const size_t open = line_place(frame);
  const size_t close = frame.find("): "sv, open);
  return {frame.substr(0, open), frame.substr(open + 1, close - open - 1), frame.substr(close + 3)};
}

std::vector<uint32_t> find_call_sites(const Trace& trace) {
  if (!trace.host || !trace.host->frames) return {};
  const HostTrace& host = *trace.host;
  const HostOps& frames = *host.frames;
  std::vector<uint32_t> sites(trace.operations.size(), HostRange::none);
  const LaunchedOperations launched(host);
  OpenOpCalls open(frames, host.threads.size());
  for (size_t i = 0; i < launched.size(); ++i) {
    const Launch& launch = host.launches[launched.launch(i)];
    const std::vector<uint32_t>& calls = open.at(launch.thread, launch.start_ns);
    if (calls.empty()) continue;
    for (const uint32_t operation : launched.operations(i)) {
      sites[operation] = frames.calls[calls.back()].op;
    }
  }
  return sites;
}

}  // namespace kr::trace
