// The tables of Ascend NPUs with one row per operation: `kernel_details.csv` of torch_npu and
// `op_summary_….csv` of msprof. Columns vary by version, and are found by name.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "base/integer.hpp"
#include "base/utf8.hpp"
#include "trace/format.hpp"
#include "trace/readers/ascend_tasks.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

struct AscendColumns {
  size_t columns = 0;
  TimeColumn start;
  TimeColumn duration;
  size_t name = 0;
  size_t core = 0;  // what runs it: `AI_CORE`, `HCCL`
  std::optional<size_t> device;
  std::optional<size_t> stream;
};

/// None where it is not the header of such a table.
std::optional<AscendColumns> ascend_header(std::string_view line) {
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  CsvRow row;
  row.read(trimmed(line));
  if (row.end != CsvRow::End::text_ended) return std::nullopt;
  const auto find = [&](std::initializer_list<std::string_view> names) {
    std::optional<size_t> found;
    for (size_t i = row.cells.size(); i-- > 0;) {
      for (const std::string_view name : names) {
        if (trimmed(row.cells[i]) == name) found = i;
      }
    }
    return found;
  };
  const auto start = find({"Start Time(us)", "Task Start Time(us)"});
  const auto duration = find({"Duration(us)", "Task Duration(us)"});
  const auto name = find({"Name", "Op Name"});
  const auto core = find({"Accelerator Core", "Task Type"});
  if (!start || !duration || !name || !core) return std::nullopt;
  constexpr int microseconds = 3;
  return AscendColumns{row.cells.size(),
                       {*start, microseconds, std::string(trimmed(row.cells[*start]))},
                       {*duration, microseconds, std::string(trimmed(row.cells[*duration]))},
                       *name,
                       *core,
                       find({"Device_id", "Device ID"}),
                       find({"Stream ID"})};
}

struct AscendRows : BlockRows, CsvProgress {};

class AscendRowParser {
 public:
  explicit AscendRowParser(const OpenOptions& options)
      : details_(options.operation_details), strict_(options.strict) {}

  void parse(const TextPlace& place, const AscendColumns& layout, AscendRows& out) {
    cursor_.begin(place, {layout.columns, layout.columns}, out);
    layout_ = &layout;
    out_ = &out;
    ids_.begin(out);
    cursor_.each([&](size_t at) { return row(at); });
  }

 private:
  size_t row(size_t at) {
    if (!cursor_.read(at)) {
      if (cursor_.refuse(at)) return 0;
      cursor_.fail(at, "the row cannot be read");
    }
    if (cursor_.unfinished(at)) return 0;
    const std::string_view core = cell(layout_->core);
    if (is_ascend_signal(core)) return cursor_.row().size;
    Operation operation{};
    operation.duration_ns = 0;
    const auto start_fault = time(at, layout_->start, operation.start_ns);
    const auto duration_fault = time(at, layout_->duration, operation.duration_ns);
    if (duration_fault) operation.duration_ns = no_duration(*duration_fault);
    if (start_fault) operation = {no_start(*start_fault), 0, {}, {}};
    if (!start_fault && !duration_fault &&
        operation.start_ns > std::numeric_limits<int64_t>::max() - operation.duration_ns) {
      if (strict_) {
        cursor_.fail(at, fmt::format("the sum of `{}` and `{}` exceeds 64 bits of nanoseconds",
                                     layout_->start.title, layout_->duration.title));
      }
      operation.duration_ns = no_duration(TimeFault::too_large);
    }
    operation.name = ids_.name(cell(layout_->name), ascend_kind(core));
    operation.track = ids_.track(device(at), stream(at));
    if (details_) {
      out_->details.push_back(ids_.detail({}));
      out_->detail_correlations.push_back(OperationDetails::no_correlation);
    }
    out_->operations.push_back(operation);
    return cursor_.row().size;
  }

  /// Some exporters write a tab behind times.
  std::string_view cell(size_t column) const { return trimmed(cursor_.row().cells[column]); }

  static bool is_missing(std::string_view text) { return text.empty() || text == "N/A"; }

  std::optional<TimeFault> time(size_t at, const TimeColumn& column, int64_t& ns) const {
    const std::string_view text = cell(column.column);
    const DecimalFault fault =
        is_missing(text) ? DecimalFault::missing : read_decimal(text, column.exponent, ns);
    if (fault == DecimalFault::none) return std::nullopt;
    const auto wrong = time_fault_of(fault);
    if (!wrong || strict_) cursor_.fail(at, describe(fault, column.title, text));
    return wrong;
  }

  int32_t device(size_t at) {
    if (!layout_->device) return 0;
    const std::string_view text = cell(*layout_->device);
    const auto number = integer_from<int32_t>(text);
    if (number && *number >= 0) return *number;
    if (!is_missing(text)) {
      cursor_.fail(at, fmt::format("the device is not a number: `{}`", shown_text(text)));
    }
    add_dropped("operation without a device number: assigned to device 0", at);
    return 0;
  }

  int64_t stream(size_t at) {
    const std::string_view text = layout_->stream ? cell(*layout_->stream) : std::string_view();
    if (const auto number = integer_from(text)) return *number;
    if (!is_missing(text)) {
      cursor_.fail(at, fmt::format("`Stream ID` is not a number: `{}`", shown_text(text)));
    }
    out_->made_up_streams = true;
    if (layout_->stream) add_dropped("operation without a stream number: assigned to stream 0", at);
    return 0;
  }

  void add_dropped(std::string_view what, size_t at) {
    out_->add_dropped(what, cursor_.place().offset + at);
  }

  CsvCursor cursor_;
  const AscendColumns* layout_ = nullptr;
  AscendRows* out_ = nullptr;
  bool details_;
  bool strict_;
  LocalIds ids_;
};

/// For a CsvStream: the first line is the header, all others are rows.
class AscendTable {
 public:
  using Layout = AscendColumns;
  using Rows = AscendRows;
  using Parser = AscendRowParser;

  AscendTable(Input& input, TraceBuilder& out) : input_(&input), out_(&out) {
    if (input.options().operation_details) out.details();
  }

  const AscendColumns* layout() const { return layout_ ? &*layout_ : nullptr; }
  AscendRowParser parser() const { return AscendRowParser(input_->options()); }
  bool line(std::string_view text, const TextPlace& place) {
    layout_ = ascend_header(text);
    if (!layout_) {
      throw Error(
          input_->shown(), place.where(),
          fmt::format("is not the header of a table of Ascend: {}", shown_text(trimmed(text))),
          "the first row has to name the columns");
    }
    return true;
  }
  void merge(const AscendRows& rows, const TextPlace&) { add_block(rows, *out_); }

 private:
  Input* input_;
  TraceBuilder* out_;
  std::optional<AscendColumns> layout_;
};

bool is_ascend_csv(std::string_view head) noexcept {
  try {
    const size_t end = head.find('\n');
    return end != head.npos && ascend_header(head.substr(0, end)).has_value();
  } catch (const std::exception&) {
    return false;  // no memory
  }
}

constexpr std::array<std::string_view, 1> ascend_csv_extensions{".csv"};

void read_ascend_csv(Input& input, TraceBuilder& out) {
  AscendTable table(input, out);
  CsvStream(input, out, table).run();
  out.clock({0});
  if (out.operations() == 0) {
    out.warn("no-gpu-work", "The table has a header and no operations: there was no NPU work.");
  }
  warn_where_cut_off(input, out);
}

}  // namespace

const TraceFormat ascend_csv_format{
    .name = "ascend-csv",
    .kind = "Ascend operation CSV",
    .summary =
        "CSV of operations of Ascend NPUs: `kernel_details.csv` of torch_npu, `op_summary` "
        "of msprof",
    .extensions = ascend_csv_extensions,
    .carries = "streams",
    .sniff = is_ascend_csv,
    .read = read_ascend_csv};

}  // namespace kr::trace
