#include "trace/readers/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/integer.hpp"
#include "trace/readers/csv_scan.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr size_t max_fast_columns = 64;
constexpr int64_t longest = std::numeric_limits<int64_t>::max();

// At most 18 digits: those always fit.
bool digits(std::string_view text, int64_t& value) noexcept {
  if (text.empty() || text.size() > 18) return false;
  int64_t sum = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit > 9) return false;
    sum = sum * 10 + static_cast<int64_t>(digit);
  }
  value = sum;
  return true;
}

// The two shapes that nsys prints exactly: ns without a point, us with three decimals.
bool fast_time(std::string_view text, int exponent, int64_t& ns) noexcept {
  if (exponent == 0) return digits(text, ns);
  if (exponent != 3 || text.size() < 5 || text.size() > 16) return false;
  if (text[text.size() - 4] != '.') return false;
  int64_t whole = 0;
  int64_t thousandths = 0;
  if (!digits(text.substr(0, text.size() - 4), whole)) return false;
  if (!digits(text.substr(text.size() - 3), thousandths)) return false;
  ns = whole * 1000 + thousandths;
  return true;
}

bool is_missing(std::string_view text) noexcept {
  return text.empty() || text == "None";
}

// A stream is a number, or nothing.
std::optional<int64_t> stream_number(std::string_view text) noexcept {
  return is_missing(text) ? 0 : integer_from(text);
}

struct Device {
  std::string_view name;
  int32_t id = -1;
};

// `name (id)`
Device device_of(std::string_view cell) noexcept {
  const size_t open = cell.rfind(" (");
  if (!cell.ends_with(')') || open == cell.npos) return {cell};
  const auto id = integer_from<int32_t>(cell.substr(open + 2, cell.size() - open - 3));
  return id && *id >= 0 ? Device{cell.substr(0, open), *id} : Device{cell};
}

}  // namespace

void CsvRowParser::parse(const TextPlace& place, const CsvLayout& layout, CsvRows& out) {
  cursor_.begin(place, {layout.columns, layout.columns}, out);
  layout_ = &layout;
  out_ = &out;
  fast_ = layout.columns <= max_fast_columns && layout.name == layout.columns - 1 &&
          layout.device && layout.stream;
  if (ids_.begin(out)) seen_tracks_ = {};
  const char* const begin = place.text.data();
  const char* const end = begin + place.text.size();
  cursor_.each([&](size_t at) {
    const char* const row = begin + at;
    const char* const next = fast_ ? fast_row(row, end) : nullptr;
    return next != nullptr ? static_cast<size_t>(next - row) : plain_row(at);
  });
}

// A cell is a number, or empty, or `None`.
template <class CellAt>
void CsvRowParser::add_detail(const CellAt& cell) {
  OperationDetail detail;
  for (const auto& [field, column] : layout_->details) {
    if (const auto value = integer_from(cell(column))) detail[field] = *value;
  }
  std::optional<int64_t> correlation;
  if (layout_->correlation) correlation = integer_from(cell(*layout_->correlation));
  out_->details.push_back(ids_.detail(detail));
  out_->detail_correlations.push_back(OperationDetails::correlation(correlation));
}

// Null: not the common form; nothing was added.
const char* CsvRowParser::fast_row(const char* at, const char* end) {
  std::array<uint32_t, max_fast_columns> commas;  // NOLINT: written before it is read
  const size_t wanted = layout_->columns - 1;
  size_t found = 0;
  for (const char* from = at; found < wanted; from += 64) {
    if (from >= end) return nullptr;
    const Marks here = marks(from);
    const uint64_t before = here.others == 0 ? ~uint64_t{0} : (here.others & -here.others) - 1;
    const auto base = static_cast<uint32_t>(from - at);
    uint64_t left = here.commas & before;
    while (left != 0 && found < wanted) {
      commas[found++] = base + static_cast<uint32_t>(std::countr_zero(left));
      left &= left - 1;
    }
    if (found < wanted && here.others != 0) return nullptr;
  }
  const char* name = at + commas[wanted - 1] + 1;
  if (name >= end) return nullptr;
  const char* name_end = nullptr;
  const char* next = nullptr;
  if (*name == '"') {
    ++name;
    name_end = find(name, end, '"');
    next = name_end + 1;
    if (next < end && *next == '\r') ++next;
    if (next >= end || *next != '\n') return nullptr;
  } else {
    name_end = plain_cell_end(name, end);
    if (name_end == end || *name_end != '\n') return nullptr;
    next = name_end;
    if (name_end != name && name_end[-1] == '\r') --name_end;
  }
  ++next;

  const auto cell = [&](size_t column) {
    const char* from = column == 0 ? at : at + commas[column - 1] + 1;
    return std::string_view(from, static_cast<size_t>(at + commas[column] - from));
  };
  int64_t start = 0;
  int64_t duration = 0;
  if (!fast_time(cell(layout_->start.column), layout_->start.exponent, start)) return nullptr;
  if (!fast_time(cell(layout_->duration.column), layout_->duration.exponent, duration)) {
    return nullptr;
  }
  const TrackId track = fast_track(cell(*layout_->device), cell(*layout_->stream));
  if (!track.valid()) return nullptr;
  const std::string_view text(name, static_cast<size_t>(name_end - name));
  if (details_) add_detail(cell);
  out_->operations.push_back({start, duration, ids_.name(text), track});
  return next;
}

size_t CsvRowParser::plain_row(size_t at) {
  const bool whole = cursor_.read(at);
  const CsvRow& row = cursor_.row();
  int64_t start = 0;
  const DecimalFault of_start =
      whole ? read_decimal(row.cells[layout_->start.column], layout_->start.exponent, start)
            : DecimalFault::not_a_number;
  if (of_start != DecimalFault::none && !is_row(at, of_start)) return refuse_or_stop(at);
  if (cursor_.unfinished(at)) return 0;
  int64_t duration = time(at, layout_->duration);
  if (const auto fault = time_fault_of(of_start)) {
    start = no_start(*fault);
    duration = 0;
  } else if (duration >= 0 && start > longest - duration) {
    if (strict_) {
      cursor_.fail(at, fmt::format("the sum of `{}` and `{}` exceeds 64 bits of nanoseconds",
                                   layout_->start.title, layout_->duration.title));
    }
    duration = no_duration(TimeFault::too_large);
  }
  const std::string_view device = layout_->device ? row.cells[*layout_->device] : "";
  const std::string_view stream = layout_->stream ? row.cells[*layout_->stream] : "";
  const auto number = stream_number(stream);
  if (!number) {
    cursor_.fail(at, fmt::format("`Strm` is not a number: `{}`", shown_text(stream)));
  }
  if (is_missing(stream)) out_->made_up_streams = true;
  const TrackId track = track_id(device, *number);
  if (details_) add_detail([&](size_t column) { return std::string_view(row.cells[column]); });
  out_->operations.push_back({start, duration, ids_.name(row.cells[layout_->name]), track});
  return row.size;
}

// What is at `at` is not a row as the layout has it. It may be the end of the report.
size_t CsvRowParser::refuse_or_stop(size_t at) {
  const auto line = cursor_.line(at);
  if (!line) return 0;
  const LineKind kind = classify_line(*line).kind;
  if (kind == LineKind::blank) return cursor_.past(*line, at);
  if (kind != LineKind::other) return cursor_.stop(CsvStop::line, at);
  if (cursor_.refuse(at)) return 0;
  time(at, layout_->start);
  cursor_.fail(at, "the row cannot be read");
}

// Both cells lie in one text, most often with only the context between them: all of that is one
// key. Not valid: the stream is not a number.
TrackId CsvRowParser::fast_track(std::string_view device, std::string_view stream) {
  const char* const begin = stream.empty() ? device.data() : std::min(device.data(), stream.data());
  const char* const end = std::max(device.data() + device.size(), stream.data() + stream.size());
  const std::string_view key(begin, static_cast<size_t>(end - begin));
  SeenTrack& seen = seen_tracks_[hash_bytes(key) % seen_tracks_.size()];
  if (seen.id.valid() && seen.key == key) return seen.id;
  const auto number = stream_number(stream);
  if (!number) return {};
  if (is_missing(stream)) out_->made_up_streams = true;
  seen.id = track_id(device, *number);
  seen.key = key;
  return seen.id;
}

TrackId CsvRowParser::track_id(std::string_view cell, int64_t stream) {
  const Device device = device_of(cell);
  return ids_.track(device.id, stream, device.name);
}

int64_t CsvRowParser::time(size_t at, const TimeColumn& column) const {
  int64_t ns = 0;
  const std::string_view text = cursor_.row().cells[column.column];
  const DecimalFault fault = read_decimal(text, column.exponent, ns);
  if (fault == DecimalFault::none) return ns;
  const auto wrong = time_fault_of(fault);
  if (!wrong || strict_) cursor_.fail(at, describe(fault, column.title, text));
  return no_duration(*wrong);
}

// Whether what has no right start is a row all the same, of an operation without a time.
bool CsvRowParser::is_row(size_t at, DecimalFault of_start) {
  if (strict_ || !time_fault_of(of_start)) return false;
  const auto line = cursor_.line(at);
  return line && classify_line(*line).kind == LineKind::other;
}

}  // namespace kr::trace
