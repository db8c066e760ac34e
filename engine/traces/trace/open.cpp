#include "trace/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "trace/cut.hpp"
#include "trace/format.hpp"
#include "trace/readers/sqlite_file.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr const TraceFormat* all_formats[] = {
#define KR_TRACE_FORMAT(format) &(format),
#include "trace/formats.def"
#undef KR_TRACE_FORMAT
};

std::string accepted() {
  std::string kinds;
  for (const TraceFormat* format : formats()) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(format->kind);
  }
  return "kr reads: " + kinds;
}

// `[1/8] Executing …` begins what nsys prints; a bracket before a number begins no profile.
bool json(std::string_view head) {
  const auto [first, after] = first_bytes(head);
  if (first == '{') return after == '"' || after == '}' || after == '\0';
  return first == '[' && after != '\0' && std::strchr("[]{\"", after) != nullptr;
}

/// A line of NCCL Inspector: a header with the id of a communicator.
bool nccl_inspector(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return first_bytes(head).first == '{' && line.find("\"header\"") != line.npos &&
         line.find("\"inspector_output_format_version\"") != line.npos;
}

struct Magic {
  std::string_view bytes;
  const char* why;
  const char* remedy;
};

constexpr Magic magics[] = {
    {"version https://git-lfs", "is a Git LFS pointer, not the file itself",
     "fetch it with `git lfs pull`"},
    {"\xff\xfe"sv, "is UTF-16 text, as PowerShell redirects it",
     "write it with --output FILE of `nsys stats` or --log-file FILE of ncu, or convert it to "
     "UTF-8"},
    {"\xfe\xff"sv, "is UTF-16 text", "convert it to UTF-8"},
    {"NVR\0"sv, "is an ncu report (.ncu-rep)",
     "print its pages: `ncu --import FILE.ncu-rep --csv --page raw > FILE.csv`"},
    {"QDSTRM"sv, "is an unfinished nsys recording",
     "turn it into a report with nsys's QdstrmImporter"},
    {"\xfd\x37zXZ"sv, "is compressed with xz",
     "unpack it first; .gz and .zst are read as they are"},
    {"BZh"sv, "is compressed with bzip2", "unpack it first; .gz and .zst are read as they are"},
    {"PK\x03\x04"sv, "is a zip archive", "unpack it first; .gz and .zst are read as they are"},
    {"\x04\x22\x4d\x18"sv, "is compressed with lz4",
     "unpack it first; .gz and .zst are read as they are"},
    {"\x1f\x8b"sv, "is compressed twice", "unpack it once"},
    {"\x28\xb5\x2f\xfd"sv, "is compressed twice", "unpack it once"},
};

constexpr std::array<std::string_view, 3> packed_extensions{".gz", ".zst", ".gzip"};
// Of formats that people name their files after and that are read by content, and of saved runs.
constexpr std::array<std::string_view, 2> other_extensions{".txt", ".krun"};

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
      return format->sniff_tables != nullptr ? &sqlite_format(input) : format;
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

/// A folder of these files, and nothing else.
bool has_only_inspector(const Input& folder) {
  bool any = false;
  for (const Input::Entry& entry : folder.entries()) {
    if (entry.name.starts_with('.')) continue;
    if (entry.type != std::filesystem::file_type::regular) return false;
    try {
      if (!nccl_inspector(Input(entry.path, OpenOptions()).head())) return false;
    } catch (const Error&) {
      return false;
    }
    any = true;
  }
  return any;
}

[[noreturn]] void refuse_inspector(const Input& input, std::string_view what, const char* where) {
  throw Error(
      input.shown(), fmt::format("is {} of NCCL Inspector, not a trace", what),
      fmt::format("give it beside a trace of the run: `kr report TRACE --nccl-inspector {}`",
                  where));
}

const TraceFormat& format_of_folder(const Input& input) {
  const TraceFormat* any = nullptr;
  for (const TraceFormat* format : all_formats) {
    if (format->sniff_folder != nullptr && format->sniff_folder(input)) return *format;
    if (format->folders && format->sniff_folder == nullptr) any = format;
  }
  if (has_only_inspector(input)) refuse_inspector(input, "a folder", "FOLDER");
  return *any;
}

const TraceFormat& format_of(const Input& input) {
  if (input.folder()) return format_of_folder(input);
  if (input.head().empty() && input.truncated()) {
    throw Error(input.shown(), "the compressed file is cut off before any of its text",
                "copy it again");
  }
  if (nccl_inspector(input.head())) {
    refuse_inspector(input, "an output", "FILE");
  }
  if (const TraceFormat* format = sniffed(input, false)) return *format;
  std::optional<Refusal> refusal = refusal_of(input.head());
  if (!refusal) {
    if (const TraceFormat* format = sniffed(input, true)) return *format;
    if (const TraceFormat* format = named(input)) return *format;
    refusal = {"is in an unknown format (binary data)", accepted()};
  }
  throw Error(input.shown(), std::move(refusal->why), std::move(refusal->remedy));
}

/// Leaves the one that `wanted` names.
void keep_rank(std::vector<Trace>& traces, const std::string& wanted, const Input& input) {
  if (traces.size() == 1 && traces[0].distributed.member.empty()) {
    throw Error(input.shown(),
                fmt::format("is not a merged trace of several ranks: there is no "
                            "rank `{}` to choose",
                            wanted),
                "leave out --rank");
  }
  std::string members;
  for (const Trace& trace : traces) {
    const Distributed& info = trace.distributed;
    const std::string rank = info.rank ? fmt::format("{}", *info.rank) : "";
    if (same_ignoring_case(info.member, wanted) || rank == wanted) {
      Trace kept = std::move(traces[static_cast<size_t>(&trace - traces.data())]);
      traces.clear();
      traces.push_back(std::move(kept));
      return;
    }
    members += (members.empty() ? "" : ", ") + (info.member.empty() ? "(others)" : info.member);
  }
  throw Error(input.shown(), fmt::format("has no rank `{}`", wanted), "its ranks are " + members);
}

std::vector<Trace> read_traces(const TraceFormat& format, Input& input) {
  TraceBuilder builder(input.path(), std::string(format.name));
  if (input.options().strict) builder.strict();
  format.read(input, builder);
  std::vector<Trace> traces = std::move(builder).finish_members();
  if (!input.options().rank.empty()) keep_rank(traces, input.options().rank, input);
  for (const Trace& trace : traces) {
    const bool wanted = input.options().waits && trace.host != nullptr;
    if (wanted && !trace.host->waits) trace.host->waits = std::make_unique<HostWaits>();
  }
  return traces;
}

}  // namespace

std::span<const TraceFormat* const> formats() noexcept {
  return all_formats;
}

std::optional<Refusal> refusal_of(std::string_view head) {
  if (head.empty()) {
    return Refusal{"is empty", "nsys writes a file of 0 bytes when nothing was captured"};
  }
  for (const Magic& magic : magics) {
    if (!head.starts_with(magic.bytes)) continue;
    return Refusal{magic.why, magic.remedy};
  }
  if (json(head)) return Refusal{"is JSON, but not a trace", accepted()};
  return std::nullopt;
}

std::pair<char, char> first_bytes(std::string_view head) noexcept {
  constexpr std::string_view spaces = " \t\r\n";
  if (head.starts_with(byte_order_mark)) head.remove_prefix(byte_order_mark.size());
  const size_t first = head.find_first_not_of(spaces);
  if (first == head.npos) return {};
  const size_t next = head.find_first_not_of(spaces, first + 1);
  return {head[first], next == head.npos ? '\0' : head[next]};
}

std::vector<Trace> open_traces(const std::string& path, const OpenOptions& options) {
  Input input(path, options);
  const TraceFormat& format = format_of(input);
  if (format.read == nullptr) {
    throw Error(input.shown(),
                fmt::format("is {}, which contains module trees but no start times of kernels",
                            format.name),
                "show it with `kr tree`");
  }
  return read_traces(format, input);
}

Trace open_trace(const std::string& path, const OpenOptions& options) {
  std::vector<Trace> traces = open_traces(path, options);
  if (traces.size() > 1) {
    throw Error(path, fmt::format("contains the traces of {} ranks", traces.size()),
                "choose one with --rank");
  }
  return std::move(traces.front());
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
    opened.traces = read_traces(format, input);
  }
  return opened;
}

void check_cut(const std::string& path, const OpenOptions& options, const PendingFile& to) {
  constexpr const char* other = "write it with --format perfetto";
  if (!may_open_again(path, options)) {
    throw Error(
        path, "cannot be cut in its own format: it would have to be read twice",
        path == "-" ? "save it to a file first" : "cut the SQLite of `nsys export --type sqlite`");
  }
  const TraceFormat& format = format_of(Input(path, options));
  if (format.read == nullptr) {
    throw Error(path,
                "contains module trees without times of operations: no part of it can be "
                "chosen");
  }
  if (format.cut == nullptr && format.cut_database == nullptr) {
    std::string can;
    for (const TraceFormat* one : all_formats) {
      if (one->cut == nullptr && one->cut_database == nullptr) continue;
      can += (can.empty() ? "" : " and ") + std::string(one->name);
    }
    throw Error(path,
                fmt::format("is {}, of which no part can be written in its own format, as of {}",
                            format.name, can),
                other);
  }
  const std::string name = to.path().string();
  if (format.cut_database != nullptr && without_packing(name).size() != name.size()) {
    throw Error(name, "a database cannot be compressed", "remove the ending of the compression");
  }
  if (name.ends_with(".zst")) throw Error(name, "cannot be compressed with zstd", "name it .gz");
}

void cut(const std::string& path, const OpenOptions& options, std::span<const Trace* const> reduced,
         PendingFile& to) {
  OpenOptions whole = options;
  whole.host = HostDetail::all;
  Input input(path, whole);
  const TraceFormat& format = format_of(input);
  if (format.cut_database != nullptr) {
    return format.cut_database(input, reduced, to.aside().string(), to.path().string());
  }
  const ByteSink plain = [&to](std::string_view bytes) { to.write(bytes); };
  if (!to.path().string().ends_with(".gz")) return format.cut(input, reduced, plain);
  GzipWriter gzip(plain);
  format.cut(input, reduced, [&gzip](std::string_view bytes) { gzip.write(bytes); });
  gzip.finish();
}

bool contains_module_trees(const std::string& path, const OpenOptions& options) {
  return format_of(Input(path, options)).read == nullptr;
}

namespace {

/// Of JSON: any object may begin a trace, and most begin none.
bool has_events(std::string_view head) {
  constexpr std::array names{"\"traceEvents\""sv, "\"schemaVersion\""sv, "\"deviceProperties\""sv,
                             "\"distributedInfo\""sv, "\"ph\""sv};
  return std::ranges::any_of(names, [&](auto name) { return head.find(name) != head.npos; });
}

}  // namespace

std::vector<std::string> traces_in_folder(const std::string& path) {
  const OpenOptions options;
  const Input folder(path, options);
  const auto takes = [&](const TraceFormat* format) {
    return format->sniff_folder != nullptr && format->sniff_folder(folder);
  };
  if (!folder.folder() || std::ranges::any_of(all_formats, takes)) return {};
  std::vector<std::string> found;
  for (const Input::Entry& entry : folder.entries()) {
    if (entry.type != std::filesystem::file_type::regular || entry.name.starts_with('.')) continue;
    try {
      const Input file(entry.path, options);
      const TraceFormat& format = format_of(file);
      if (format.name == "kineto-json" && !has_events(file.head())) continue;
      if (format.folders) return {};  // the folder is read as one trace
      found.push_back(entry.path);
    } catch (const Error&) {  // it is not a trace
    }
  }
  return found;
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
