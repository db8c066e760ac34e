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

/// Lines, one after another.
class ParaverReader {
 public:
  ParaverReader(Input& input, TraceBuilder& out) : input_(input), out_(out), blocks_(input) {}

  void read() {
    const ParaverNames names = read_names();
    ParaverObjects objects;
    std::optional<ParaverRecords> records;
    TextBlock block;
    while (next(block)) {
      std::string_view text = block.text();
      uint64_t offset = block.offset;
      while (!text.empty()) {
        const size_t size = std::min(text.find('\n'), text.size());
        const bool ends = size < text.size();
        std::string_view line = text.substr(0, size);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const char* why = nullptr;
        if (records) {
          why = records->read(line, offset);
        } else {
          why = read_paraver_header(line, objects);
          if (why == nullptr) records.emplace(input_, objects, names, out_);
        }
        if (why != nullptr) cut_off(why, line, offset, ends);
        text.remove_prefix(std::min(size + 1, text.size()));
        offset += size + 1;
        ++line_;
      }
    }
    if (records) records->finish();
    check(names, objects);
  }

 private:
  ParaverNames read_names() const {
    if (input_.path() == "-") {
      throw Error(input_.shown(), "is a Paraver trace, whose names are in other files",
                  "name the .prv, with its .pcf and .row beside it");
    }
    const std::string pcf = beside(input_.path(), ".pcf");
    const std::string row = beside(input_.path(), ".row");
    std::error_code error;
    if (!std::filesystem::exists(pcf, error)) {
      throw Error(input_.shown(),
                  fmt::format("is a Paraver trace without names: there is no {}", shown_path(pcf)),
                  "copy the .pcf and .row beside it");
    }
    const bool rows = std::filesystem::exists(row, error);
    if (!rows) {
      out_.warn("no-row-labels",
                fmt::format("There is no {}: devices and streams are not known.", shown_path(row)));
    }
    return {read_file(pcf), rows ? read_file(row) : std::string()};
  }

  bool next(TextBlock& block) {
    while (!blocks_.next_rows(block, false)) {
      if (block.last) return false;
      blocks_.enlarge(line_);
    }
    return true;
  }

  /// Warns where the line is the last, is incomplete, and may be. Throws Error otherwise.
  void cut_off(const char* why, std::string_view line, uint64_t offset, bool ends) {
    if (ends || !input_.options().allow_truncated || line_ == 1) {
      throw Error(input_.shown(), {.line = line_, .offset = offset},
                  line_ == 1 ? fmt::format("the header {}", why)
                             : fmt::format("the record `{}` {}", shown_text(line), why),
                  ends ? "" : "the file may be cut off: use --allow-truncated");
    }
    out_.warn(
        "truncated",
        fmt::format("{} is cut off: its last record, at byte {}, is incomplete and is dropped",
                    input_.shown(), offset));
  }

  void check(const ParaverNames& names, const ParaverObjects& objects) {
    if (out_.operations() > 0 || objects.rows() == 0) return;
    const bool types = names.has(ParaverRole::kernel) || names.has(ParaverRole::copy);
    out_.warn("no-gpu-work", types ? "The trace has no kernels or copies of a GPU."
                                   : "The .pcf has no types of events of kernels or copies.");
  }

  Input& input_;
  TraceBuilder& out_;
  TextBlocks blocks_;
  uint64_t line_ = 1;
};

void read_paraver(Input& input, TraceBuilder& out) {
  ParaverReader(input, out).read();
  warn_where_cut_off(input, out);
}

}  // namespace

const TraceFormat paraver_format{
    .name = "paraver",
    .kind = "Paraver traces",
    .summary = "Paraver trace (.prv with .pcf and .row) of nsys2prv, Extrae or kr",
    .extensions = paraver_extensions,
    .sniff = is_paraver,
    .read = read_paraver};

}  // namespace kr::trace
