#include "trace/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "trace/format.hpp"
#include "trace/refuse.hpp"

namespace kr::trace {
namespace {

constexpr const TraceFormat* all_formats[] = {
#define KR_TRACE_FORMAT(format) &(format),
#include "trace/formats.def"
#undef KR_TRACE_FORMAT
};

constexpr std::array<std::string_view, 3> packed_extensions{".gz", ".zst", ".gzip"};
// Of formats that people name their files after and that are read by content.
constexpr std::array<std::string_view, 1> other_extensions{".txt"};

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         same_ignoring_case(text.substr(text.size() - end.size()), end);
}

// One of the endings, unless nothing would be left.
template <class Endings>
bool strip(std::string_view& name, const Endings& endings) {
  for (const std::string_view end : endings) {
    if (name.size() > end.size() && ends_with_ignoring_case(name, end)) {
      name.remove_suffix(end.size());
      return true;
    }
  }
  return false;
}

std::string_view without_packing(std::string_view path) {
  strip(path, packed_extensions);
  return path;
}

const TraceFormat* sniffed(const Input& input, bool any_text) {
  for (const TraceFormat* format : all_formats) {
    if (format->sniff != nullptr && format->any_text == any_text && format->sniff(input.head())) {
      return format;
    }
  }
  return nullptr;
}

const TraceFormat* named(const Input& input) {
  for (const TraceFormat* format : all_formats) {
    std::string_view name = without_packing(input.path());
    if (format->sniff == nullptr && strip(name, format->extensions)) return format;
  }
  return nullptr;
}

const TraceFormat& format_of(const Input& input) {
  if (input.folder()) {
    return **std::find_if(std::begin(all_formats), std::end(all_formats),
                          [](const TraceFormat* format) { return format->folders; });
  }
  if (input.head().empty() && input.truncated()) {
    throw Error(input.shown(), "the compressed file is cut off before any of its text",
                "copy it again");
  }
  if (const TraceFormat* format = sniffed(input, false)) return *format;
  std::optional<Refusal> refusal = refusal_of(input.head());
  if (!refusal) {
    if (const TraceFormat* format = sniffed(input, true)) return *format;
    if (const TraceFormat* format = named(input)) return *format;
    refusal = unknown_content();
  }
  throw Error(input.shown(), std::move(refusal->why), std::move(refusal->remedy));
}

Trace read_trace(const TraceFormat& format, Input& input) {
  TraceBuilder builder(input.path(), std::string(format.name));
  format.read(input, builder);
  return std::move(builder).finish();
}

}  // namespace

std::span<const TraceFormat* const> formats() noexcept {
  return all_formats;
}

Trace open_trace(const std::string& path, const OpenOptions& options) {
  Input input(path, options);
  const TraceFormat& format = format_of(input);
  if (format.read == nullptr) {
    throw Error(input.shown(),
                fmt::format("is {}, which contains module trees but no start times of kernels",
                            format.name),
                "show it with `kr tree`");
  }
  return read_trace(format, input);
}

Opened open_any(const std::string& path, const OpenOptions& options) {
  Opened opened;
  Input input(path, options);
  const TraceFormat& format = format_of(input);
  if (format.read_modules != nullptr) {
    ModuleTraceBuilder builder(path, std::string(format.name));
    format.read_modules(input, builder);
    opened.modules = std::move(builder).finish();
  } else {
    opened.trace = read_trace(format, input);
  }
  return opened;
}

bool holds_module_trees(const std::string& path, const OpenOptions& options) {
  return format_of(Input(path, options)).read == nullptr;
}

bool may_open_again(const std::string& path, const OpenOptions& options) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using std::filesystem::file_type;
  if (path == "-" || (type != file_type::regular && type != file_type::directory)) return false;
  OpenOptions quiet = options;
  quiet.progress = nullptr;
  return !format_of(Input(path, quiet)).exported;
}

std::string trace_stem(const std::string& path) {
  if (path == "-") return "stdin";
  std::string whole = path;
  // `.` and `..` are named as what they lead to.
  const std::string last = std::filesystem::path(path).filename().string();
  if (last == "." || last == "..") {
    std::error_code ignored;
    whole = std::filesystem::weakly_canonical(path, ignored).string();
  }
  std::string_view name = whole;
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  name = name.substr(name.rfind('/') + 1);
  name = without_packing(name);
  // The longest ending: `.pt.trace.json` before `.json`.
  std::string_view shortest = name;
  for (const TraceFormat* format : all_formats) {
    for (const std::string_view end : format->extensions) {
      std::string_view rest = name;
      strip(rest, std::array{end});
      if (rest.size() < shortest.size()) shortest = rest;
    }
  }
  if (shortest.size() == name.size()) strip(shortest, other_extensions);
  return std::string(shortest);
}

}  // namespace kr::trace
