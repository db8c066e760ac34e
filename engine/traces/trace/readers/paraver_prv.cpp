// Traces of Paraver: those of nsys2prv, Extrae, and kr. A `.prv` with its `.pcf` and `.row` beside
// it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "trace/format.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/paraver_rows.hpp"
#include "trace/readers/text_blocks.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view paraver_head = "#Paraver";
constexpr std::array<std::string_view, 1> paraver_extensions{".prv"};

bool is_paraver(std::string_view head) noexcept {
  return head.starts_with(paraver_head);
}

/// The file beside it that has this ending.
std::string beside(const std::string& path, std::string_view ending) {
  std::string_view stem = path;
  for (const std::string_view end : {".gz", ".zst", ".prv"}) {
    if (stem.ends_with(end)) stem.remove_suffix(end.size());
  }
  return std::string(stem) + std::string(ending);
}

ParaverNames read_names(const Input& input, TraceBuilder& out) {
  if (input.path() == "-") {
    throw Error(input.shown(), "is a Paraver trace, whose names are in other files",
                "name the .prv, with its .pcf and .row beside it");
  }
  const std::string pcf = beside(input.path(), ".pcf");
  const std::string row = beside(input.path(), ".row");
  std::error_code error;
  if (!std::filesystem::is_regular_file(pcf, error)) {
    throw Error(input.shown(),
                fmt::format("is a Paraver trace without names: there is no {}", shown_path(pcf)),
                "copy the .pcf and .row beside it");
  }
  const bool rows = std::filesystem::is_regular_file(row, error);
  if (!rows) {
    out.warn("no-row-labels",
             fmt::format("There is no {}: devices and streams are not known.", shown_path(row)));
  }
  return {read_file(pcf), rows ? read_file(row) : std::string()};
}

/// Lines, one after another.
class ParaverReader {
 public:
  ParaverReader(Input& input, TraceBuilder& out, const ParaverNames& names)
      : input_(input), out_(out), names_(names), blocks_(input) {}

  void read() {
    TextBlock block;
    while (next(block)) {
      std::string_view text = block.text();
      uint64_t offset = block.offset;
      while (!text.empty()) {
        const size_t size = std::min(text.find('\n'), text.size());
        line(text.substr(0, size), offset, size < text.size());
        text.remove_prefix(std::min(size + 1, text.size()));
        offset += size + 1;
        ++line_;
      }
    }
    if (records_) records_->finish();
    if (out_.operations() > 0) return;
    const bool types = names_.has(ParaverRole::kernel) || names_.has(ParaverRole::copy);
    out_.warn("no-gpu-work", types ? "The trace has no kernels or copies of a GPU."
                                   : "The .pcf has no types of events of kernels or copies.");
  }

 private:
  bool next(TextBlock& block) {
    while (!blocks_.next_rows(block, false)) {
      if (block.last) return false;
      blocks_.enlarge(line_);
    }
    return true;
  }

  /// `whole`: a line break follows it.
  void line(std::string_view text, uint64_t offset, bool whole) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    const char* why = nullptr;
    if (!records_) {
      why = read_paraver_header(text, objects_);
      if (why == nullptr) records_.emplace(input_, objects_, names_, out_);
    } else if (whole || !input_.truncated()) {
      why = records_->read(text, offset);
    } else {
      why = "is cut off";  // perhaps within a number
    }
    if (why == nullptr) return;
    if (whole || line_ == 1 || !input_.options().allow_truncated) {
      throw Error(input_.shown(), {.line = line_, .offset = offset},
                  line_ == 1 ? fmt::format("the header {}", why)
                             : fmt::format("the record `{}` {}", shown_text(text), why),
                  whole ? "" : "the file may be cut off: use --allow-truncated");
    }
    out_.warn(
        "truncated",
        fmt::format("{} is cut off: its last record, at byte {}, is incomplete and is dropped",
                    input_.shown(), offset));
  }

  Input& input_;
  TraceBuilder& out_;
  const ParaverNames& names_;
  TextBlocks blocks_;
  ParaverObjects objects_;
  std::optional<ParaverRecords> records_;  // behind the header
  uint64_t line_ = 1;
};

void read_paraver_files(Input& input, TraceBuilder& out) {
  read_paraver(input, out, read_names(input, out));
}

}  // namespace

void read_paraver(Input& input, TraceBuilder& out, const ParaverNames& names) {
  out.times_from_zero();
  ParaverReader(input, out, names).read();
  warn_where_cut_off(input, out);
}

const TraceFormat paraver_format{
    .name = "paraver",
    .kind = "Paraver traces",
    .summary = "Paraver trace (.prv with .pcf and .row) of nsys2prv, Extrae or kr",
    .extensions = paraver_extensions,
    .carries = "launches, streams, modules, steps, metrics",
    .sniff = is_paraver,
    .read = read_paraver_files};

}  // namespace kr::trace
