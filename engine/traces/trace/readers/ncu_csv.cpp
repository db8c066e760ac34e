// Pages of Nsight Compute: `ncu --csv`, of a run or of a report (`--import`), as `--page details`
// or `--page raw`.
//
// ncu runs one kernel after the other and reports the duration of each, not its start. So
// operations follow each other without a gap in the order of their IDs, whatever their device and
// stream: elapsed is total.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/plural.hpp"
#include "base/utf8.hpp"
#include "trace/format.hpp"
#include "trace/ncu_profile.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/cupti_layout.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/ncu_merge.hpp"
#include "trace/readers/ncu_units.hpp"

namespace kr::trace {
namespace {

/// Pages of ncu, for a CsvStream.
class NcuTable {
 public:
  using Layout = NcuLayout;
  using Rows = NcuRows;
  using Parser = NcuRowParser;

  NcuTable(Input& input, TraceBuilder& out, NcuMerge& merge)
      : input_(&input), out_(&out), merge_(&merge) {}

  /// To its end.
  void read() {
    merge_->begin_file(input_->shown());
    CsvStream(*input_, *out_, *this).run();
    warn_where_cut_off(*input_, *out_);
  }

  const NcuLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  NcuRowParser parser() const { return NcuRowParser(input_->options().strict); }

  bool line(std::string_view text, const TextPlace& place) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::string_view bare = trimmed(text);
    if (bare.empty() || is_ncu_message(bare)) return true;
    if (is_semicolon_header(bare)) {
      throw Error(input_->shown(), place.where(),
                  "the page has `;` between its cells, and so a comma as decimal sign",
                  decimal_point_remedy);
    }
    CsvRow row;
    row.read(bare);
    if (auto header = read_ncu_header(row.cells)) {
      check_whole(text, place);
      begin_page(std::move(*header), place);
      return true;
    }
    if (!waiting_) return true;
    check_whole(text, place);
    return units(row, place);
  }

  void merge(const NcuRows& rows, const TextPlace& place) { merge_->add(rows, place); }

 private:
  // A value without its unit could be any, and one name is that of metrics of several sections.
  void check_columns(const NcuLayout::Metric& columns, const TextPlace& place) const {
    const std::pair<const std::optional<size_t>*, const char*> needed[] = {
        {&columns.value, "Metric Value"},
        {&columns.unit, "Metric Unit"},
        {&columns.section, "Section Name"}};
    for (const auto& [column, title] : needed) {
      if (*column) continue;
      throw Error(input_->shown(), place.where(),
                  fmt::format("the header of an ncu page has no column `{}`", title),
                  "export it again with `ncu --csv`");
    }
  }

  // The last line of a file that has no line break: the rest of it is missing, too.
  void check_whole(std::string_view text, const TextPlace& place) const {
    if (text.ends_with('\n') || place.allow_truncated) return;
    throw Error(input_->shown(), place.where(), "the file is cut off in this row",
                "export it again, or read the complete part with --allow-truncated");
  }

  void begin_page(NcuLayout layout, const TextPlace& place) {
    if (layout.metric) check_columns(*layout.metric, place);
    merge_->begin_page();
    layout_.reset();
    waiting_.reset();
    if (layout.metric) {
      layout_ = std::move(layout);
      return;
    }
    for (const std::string& title : layout.titles) {
      if (title.find("__") != title.npos) merge_->remember_metric(title);
    }
    waiting_ = std::move(layout);
  }

  // Below the header of a page with a column a metric: false where units were taken out, and this
  // is a row.
  bool units(const CsvRow& row, const TextPlace& place) {
    layout_ = std::move(waiting_);
    waiting_.reset();
    if (row.cells.size() <= layout_->id || !row.cells[layout_->id].empty()) return false;
    for (auto& [column, key] : layout_->metrics) {
      if (column >= row.cells.size()) continue;
      key = ncu_metric_key({"", "", trimmed(layout_->titles[column]), trimmed(row.cells[column])});
    }
    if (!layout_->duration || layout_->duration->column >= row.cells.size()) return true;
    const std::string_view unit = row.cells[layout_->duration->column];
    const auto exponent = ncu_time_unit(unit);
    if (!exponent) {
      throw Error(input_->shown(), place.where(),
                  fmt::format("`{}` is in `{}`, which is not a unit of time",
                              layout_->duration->title, shown_text(unit)),
                  base_units_remedy);
    }
    layout_->duration->exponent = *exponent;
    layout_->duration_has_unit = !trimmed(unit).empty();
    return true;
  }

  Input* input_;
  TraceBuilder* out_;
  NcuMerge* merge_;
  std::optional<NcuLayout> layout_;
  std::optional<NcuLayout> waiting_;  // for the row below the header
};

constexpr std::array<std::string_view, 1> ncu_csv_extensions{".csv"};

constexpr const char* pages_wanted =
    "name a page of ncu, or a folder of pages: `ncu --import FILE.ncu-rep --csv --page raw > "
    "FILE.csv`";

bool is_page(const Input& input) {
  return !refusal_of(input.head()) && may_be_ncu_csv(input.head());
}

/// Files of a folder that may be pages, by name.
std::vector<Input::Entry> csv_files(const Input& folder) {
  std::vector<Input::Entry> files;
  for (Input::Entry& entry : folder.entries()) {
    if (entry.type == std::filesystem::file_type::regular && names_csv(entry.name)) {
      files.push_back(std::move(entry));
    }
  }
  return files;
}

void read_folder(const Input& folder, TraceBuilder& out, NcuMerge& merge) {
  size_t pages = 0;
  std::vector<std::string> skipped;
  for (const Input::Entry& entry : csv_files(folder)) {
    Input input(entry.path, folder.options());
    if (is_page(input)) {
      NcuTable(input, out, merge).read();
      ++pages;
    } else {
      skipped.push_back(entry.name);
    }
  }
  if (pages == 0) {
    throw Error(folder.path(), "is a folder without CSV pages of ncu", pages_wanted);
  }
  if (skipped.empty()) return;
  out.add_dropped("CSV that is not a page of ncu", 0, skipped.size());
  out.warn("skipped-files",
           fmt::format("{} in the folder {} of ncu: {}.", plural(skipped.size(), "CSV"),
                       skipped.size() == 1 ? "is not a page" : "are not pages", some_of(skipped)));
}

/// Of a file that the user says is one.
void read_named(Input& input, TraceBuilder& out, NcuMerge& merge) {
  if (input.folder()) return read_folder(input, out, merge);
  if (!is_page(input)) {
    auto refusal = refusal_of(input.head());
    if (refusal && !refusal->remedy.empty()) {
      throw Error(input.shown(), std::move(refusal->why), pages_wanted);
    }
    throw Error(input.shown(), "is not a page of ncu", pages_wanted);
  }
  NcuTable(input, out, merge).read();
}

void read_ncu_csv(Input& input, TraceBuilder& out) {
  NcuMerge merge(out);
  if (input.folder()) {
    read_folder(input, out, merge);
  } else {
    NcuTable(input, out, merge).read();
  }
  merge.finish(input.shown(), true);
}

bool holds_ncu_pages(const Input& folder) {
  const std::vector<Input::Entry> files = csv_files(folder);
  return std::any_of(files.begin(), files.end(), [&](const Input::Entry& entry) {
    return is_page(Input(entry.path, folder.options()));
  });
}

}  // namespace

const TraceFormat ncu_csv_format{.name = "ncu-csv",
                                 .kind = "ncu CSV",
                                 .summary = "CSV of `ncu --csv`, `--page details` or `--page raw`",
                                 .extensions = ncu_csv_extensions,
                                 .carries = "shapes, metrics",
                                 .sniff = may_be_ncu_csv,
                                 .read = read_ncu_csv,
                                 .folders = true,
                                 .sniff_folder = holds_ncu_pages};

Trace open_ncu_pages(const std::vector<std::string>& paths, const OpenOptions& options) {
  const std::string& first = paths.front();
  TraceBuilder out(first, std::string(ncu_csv_format.name));
  NcuMerge merge(out);
  for (const std::string& path : paths) {
    Input input(path, options);
    read_named(input, out, merge);
  }
  merge.finish(shown_path(first), false);
  return std::move(out).finish();
}

}  // namespace kr::trace
