// The one list of trace formats. A format is told by the first 4 KiB of decompressed text; the
// first in the list that knows them reads the trace, so the narrowest stands first.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trace/input.hpp"
#include "trace/module_trace.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct TraceFormat {
  std::string_view name;
  std::string_view kind;  // in the message about a file of no known format: `ncu CSV pages`
  std::string_view summary;
  std::span<const std::string_view> extensions;
  /// Null where the content does not tell: then the name does, after all others have passed.
  bool (*sniff)(std::string_view head) noexcept = nullptr;
  /// `sniff` takes whatever is text: it is asked after all that is refused by name.
  bool any_text = false;
  /// Another program makes of it what is read.
  bool exported = false;
  /// Operations and module trees; null where a format has none. Throw Error{path, offset, why}.
  void (*read)(Input& input, TraceBuilder& out) = nullptr;
  void (*read_modules)(Input& input, ModuleTraceBuilder& out) = nullptr;
  /// A folder of files; null where the format is one file.
  void (*read_folder)(const std::string& path, const OpenOptions& options,
                      TraceBuilder& out) = nullptr;
};

std::span<const TraceFormat* const> formats() noexcept;

extern const TraceFormat nsys_sqlite_format;
extern const TraceFormat gpu_trace_csv_format;
extern const TraceFormat nsys_report_format;
extern const TraceFormat layerwise_json_format;
extern const TraceFormat kineto_json_format;
extern const TraceFormat cupti_csv_format;
extern const TraceFormat ncu_csv_format;

}  // namespace kr::trace
