#include "trace/readers/cupti_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "trace/readers/copy_kinds.hpp"
#include "trace/readers/dict_cell.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr int microseconds = 3;

// What scripts leave where they have no value.
bool is_nothing(std::string_view text) noexcept {
  constexpr std::array nothings{"None"sv, "nan"sv, "NaN"sv, "null"sv, "NULL"sv, "N/A"sv, "<NA>"sv};
  return text.empty() || std::find(nothings.begin(), nothings.end(), text) != nothings.end();
}

// For a time that cannot be read.
std::string remedy_of(std::string_view why) {
  if (why.find(" is not a number: ") == why.npos) return {};
  return "write times as whole numbers or decimals: a double printed with an exponent has lost "
         "digits";
}

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// `7`, or as pandas prints it in a column that has gaps, `7.0`.
std::optional<int64_t> whole_number(std::string_view text) noexcept {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view rest(stop, static_cast<size_t>(end - stop));
  if (rest.empty()) return value;
  const bool zeros =
      rest.size() > 1 && rest[0] == '.' && rest.find_first_not_of('0', 1) == rest.npos;
  return zeros ? std::optional(value) : std::nullopt;
}

// The number in `NVIDIA H100 (0)`, and the name before it.
std::optional<int64_t> numbered_device(std::string_view text, std::string_view& name) noexcept {
  const size_t open = text.rfind('(');
  if (!text.ends_with(')') || open == text.npos) return std::nullopt;
  name = trimmed(text.substr(0, open));
  return whole_number(text.substr(open + 1, text.size() - open - 2));
}

// `cudaLaunchKernel_v7000` is `cudaLaunchKernel`: the version is that of the callback.
std::string_view without_callback_version(std::string_view call) noexcept {
  const size_t at = call.rfind("_v");
  return at != call.npos && at != 0 && all_digits(call.substr(at + 2)) ? call.substr(0, at) : call;
}

}  // namespace

std::string copy_name(std::string_view kind, bool& known) {
  known = true;
  const auto number = whole_number(kind);
  if (!number) return fmt::format("[CUDA memcpy {}]", kind);
  known = *number >= 0 && *number < static_cast<int64_t>(copy_kinds.size());
  return known ? fmt::format("[CUDA memcpy {}]", copy_kinds[static_cast<size_t>(*number)])
               : fmt::format("[CUDA memcpy kind {}]", *number);
}

void CuptiRowParser::parse(const TextPlace& place, const CuptiLayout& layout, CuptiRows& out) {
  cursor_.begin(place, {layout.titles.size(), layout.titles.size()}, out);
  layout_ = &layout;
  out_ = &out;
  ids_.begin(out);
  out.rows = 0;
  const bool undecided = !layout.unit_known() && !micro_;
  out.whole = undecided ? SIZE_MAX : 0;
  out.fraction.reset();
  out.too_large.reset();
  cursor_.each([this](size_t at) { return row(at); });
}

size_t CuptiRowParser::row(size_t at) {
  if (!cursor_.read(at)) {
    const auto line = cursor_.line(at);
    if (!line) return 0;
    if (trimmed(*line).empty()) return cursor_.past(*line, at);
    at_ = at;
    if (is_call(layout_->kind) && cursor_.row().end == CsvRow::End::row) {
      add_dropped("call in a row with more or fewer cells than the header");
      return cursor_.row().size;
    }
    cursor_.refuse(at);
    return 0;
  }
  if (cursor_.unfinished(at)) return 0;
  // Files put together repeat it.
  at_ = at;
  if (!is_header()) take();
  return cursor_.row().size;
}

bool CuptiRowParser::is_header() const {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  const auto same = [](std::string_view cell, const std::string& title) {
    return trimmed(cell) == title;
  };
  const size_t start = layout_->start.column;
  return same(cells[start], layout_->titles[start]) &&
         std::equal(cells.begin(), cells.end(), layout_->titles.begin(), same);
}

void CuptiRowParser::take() {
  ++out_->rows;
  Times times;
  const bool of_host = is_call(layout_->kind);
  // A call that cannot be says nothing of the unit either.
  const bool undecided = !layout_->unit_known() && !micro_;
  if (of_host && undecided) {
    Times probe;
    if (!read_times(probe, false).empty() && !read_times(probe, true).empty()) {
      return add_dropped(unsound_call);
    }
  }
  if (undecided) meet_fraction();
  if (std::string why = read_times(times, micro_); !why.empty()) {
    if (of_host) return lose_call();
    mark(times, std::move(why));
  }
  if (strict_ && !of_host && !layout_->unit_known() && !micro_ && !out_->too_large &&
      times.start_ns + times.duration_ns > longest_microseconds) {
    Times as_microseconds;
    out_->too_large = CsvFault{at_, read_times(as_microseconds, true), {}};
  }
  if (times.disagree) add_dropped("activity with inconsistent end and duration: the end is used");
  if (times.open && of_host) return add_dropped("activity with an open end");
  if (times.open) {
    times.fault = TimeFault::missing;
    mark(times, fmt::format("`{}` is missing or 0", layout_->end->title));
  }
  if (of_host) {
    const std::string_view text = trimmed(cell(layout_->correlation, "correlation"));
    const auto given = whole_number(text);
    if (!given && !is_nothing(text)) add_dropped("call whose correlation is not a number");
    if (!whole_host_) return;
    const int64_t correlated = given.value_or(Launch::no_correlation);
    const uint32_t thread =
        ids_.thread(trimmed(cell(layout_->process)), trimmed(cell(layout_->thread)));
    out_->launches.push_back({correlated, times.start_ns, times.duration_ns, call(), thread});
    return;
  }
  const TrackId where = track();
  const int64_t correlated = correlation();
  const bool nameless = layout_->name && trimmed(cell(layout_->name)).empty();
  if (nameless) add_dropped("operation without a name");
  out_->operations.push_back({times.start_ns, times.duration_ns, operation_name(), where});
  if (whole_host_) out_->correlations.push_back(correlated);
}

// Of an operation.
void CuptiRowParser::mark(Times& times, std::string why) {
  if (strict_ || !times.fault) {
    std::string remedy = remedy_of(why);
    cursor_.fail(at_, std::move(why), std::move(remedy));
  }
  if (times.has_start) {
    times.duration_ns = no_duration(*times.fault);
  } else {
    times.start_ns = no_start(*times.fault);
    times.duration_ns = 0;
  }
}

// Too large for microseconds alone: a parser that met no fraction yet keeps such a call, and the
// merge drops it, without a place. It has to be the same whichever parser had the row.
void CuptiRowParser::lose_call() {
  Times whole;
  const bool too_large = !layout_->unit_known() && read_times(whole, false).empty();
  if (!too_large) return add_dropped(unsound_call);
  if (whole_host_) out_->add_dropped(unsound_call, 0);
}

// All before this row was read as whole numbers.
void CuptiRowParser::meet_fraction() {
  const auto has_point = [&](const CuptiTime& time) {
    if (cursor_.row().cells[time.column].find('.') == std::string_view::npos) return;
    if (!out_->fraction) out_->fraction = {at_, time.title};
  };
  has_point(layout_->start);
  if (layout_->end) has_point(*layout_->end);
  if (layout_->duration) has_point(*layout_->duration);
  if (!out_->fraction) return;
  out_->whole = is_call(layout_->kind) ? out_->launches.size() : out_->operations.size();
  micro_ = true;
}

std::string CuptiRowParser::read_time(const CuptiTime& column, bool micro, int64_t& ns,
                                      Times& times) const {
  const std::string_view text = trimmed(cursor_.row().cells[column.column]);
  const int exponent = column.exponent.value_or(micro ? microseconds : 0);
  const DecimalFault fault =
      is_nothing(text) ? DecimalFault::missing : read_decimal(text, exponent, ns);
  times.fault = time_fault_of(fault);
  return describe(fault, column.title, text);
}

// Why they cannot be; nothing where they can.
std::string CuptiRowParser::read_times(Times& times, bool micro) const {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  const auto given = [&](const std::optional<CuptiTime>& time) {
    return time && !is_nothing(trimmed(cells[time->column]));
  };
  std::string why = read_time(layout_->start, micro, times.start_ns, times);
  if (!why.empty()) return why;
  times.has_start = true;
  bool has_end = given(layout_->end);
  const bool has_duration = given(layout_->duration);
  int64_t end_ns = 0;
  if (has_end) {
    why = read_time(*layout_->end, micro, end_ns, times);
    if (!why.empty()) return why;
  }
  if (has_duration) {
    why = read_time(*layout_->duration, micro, times.duration_ns, times);
    if (!why.empty()) return why;
    if (times.start_ns > INT64_MAX - times.duration_ns) {
      times.fault = TimeFault::too_large;
      return fmt::format("the sum of `{}` and `{}` exceeds 64 bits of nanoseconds",
                         layout_->start.title, layout_->duration->title);
    }
  }
  // CUPTI's 0: it was not collected.
  if (has_end && end_ns == 0 && (times.start_ns == 0 || !has_duration)) {
    times.open = true;
    times.duration_ns = 0;
    times.has_start = times.start_ns != 0;
    return {};
  }
  has_end = has_end && end_ns != 0;
  if (!has_end && !has_duration) {
    times.open = layout_->end.has_value();
    times.duration_ns = 0;
    if (times.open) return {};
    times.fault = TimeFault::missing;
    return describe(DecimalFault::missing, layout_->duration->title, "");
  }
  if (!has_end) return {};
  if (end_ns < times.start_ns) {
    times.fault = TimeFault::backwards;
    return fmt::format("`{}` comes before `{}`: {}, {}", layout_->end->title, layout_->start.title,
                       shown_text(trimmed(cells[layout_->end->column])),
                       shown_text(trimmed(cells[layout_->start.column])));
  }
  // Three fractions that were rounded each for itself may be a nanosecond apart.
  const int64_t apart = end_ns - times.start_ns - times.duration_ns;
  const bool whole = layout_->coarsest() == 0 && !micro;
  times.disagree = has_duration && (whole ? apart != 0 : apart < -1 || apart > 1);
  times.duration_ns = end_ns - times.start_ns;
  return {};
}

NameId CuptiRowParser::operation_name() {
  const std::string_view given = cell(layout_->name);
  const std::string_view bare = trimmed(given);
  OperationKind kind = operation_kind(layout_->kind);
  // Names are any bytes: `None` is one.
  if (!bare.empty()) {
    if (layout_->name_is_id && all_digits(bare)) {
      add_dropped("kernel name id without a string");
      return ids_.name(fmt::format("(unnamed kernel {})", bare), kind);
    }
    // Some profilers of ROCm call copies and fills kernels.
    if (kind == OperationKind::kernel) kind = operation_kind_of(given);
    return ids_.name(given, kind);
  }
  if (kind == OperationKind::memcpy && !layout_->name) {
    const std::string_view of = trimmed(cell(layout_->copy_kind, "copyKind"));
    bool labelled = true;
    const std::string name = is_nothing(of) ? "[CUDA memcpy]" : copy_name(of, labelled);
    if (!labelled) add_dropped("kind of copy without a label");
    return ids_.name(name, kind);
  }
  if (kind == OperationKind::memset && !layout_->name) return ids_.name("[CUDA memset]", kind);
  return ids_.name(fmt::format("(unnamed {})", to_string(kind)), kind);
}

TrackId CuptiRowParser::track() {
  std::string_view device = trimmed(cell(layout_->device, "device"));
  std::string_view stream = trimmed(cell(layout_->stream, "stream"));
  if (layout_->args) {
    // As in Chrome's format, where a device is a process and a stream a thread of it.
    if (is_nothing(device)) device = trimmed(cell(layout_->process));
    if (is_nothing(stream)) stream = trimmed(cell(layout_->thread));
  }
  if (stream.starts_with("stream ")) stream.remove_prefix(7);
  if (is_nothing(stream)) out_->made_up_streams = true;
  if (is_nothing(device) && (layout_->device || layout_->args)) {
    add_dropped("operation without a device number: assigned to device 0");
  }
  if (is_nothing(stream) && (layout_->stream || layout_->args)) {
    add_dropped("operation without a stream number: assigned to stream 0");
  }
  const auto title = [&](const std::optional<size_t>& column, std::string_view otherwise) {
    return column ? std::string_view(layout_->titles[*column]) : otherwise;
  };
  int64_t id = 0;
  std::string_view name;
  if (!is_nothing(device)) {
    const auto numbered = numbered_device(device, name);
    id = numbered ? *numbered : number(device, title(layout_->device, "device"));
  }
  if (id < 0 || id > INT32_MAX) {
    cursor_.fail(at_, fmt::format("`{}` is not a device number", shown_text(device)));
  }
  const int64_t on = is_nothing(stream) ? 0 : number(stream, title(layout_->stream, "stream"));
  return ids_.track(static_cast<int32_t>(id), on, name);
}

uint32_t CuptiRowParser::call() {
  std::string_view name = trimmed(cell(layout_->name));
  std::string made;
  if (name.empty() || (layout_->name_is_id && all_digits(name))) {
    const std::string_view id = name.empty() ? trimmed(cell(layout_->call_id)) : name;
    made = is_nothing(id) ? "(unnamed call)" : fmt::format("(unnamed call {})", id);
    add_dropped("call without a name");
    name = made;
  }
  return ids_.call(without_callback_version(name), layout_->kind == CuptiKind::driver);
}

int64_t CuptiRowParser::correlation() const {
  const std::string_view text = trimmed(cell(layout_->correlation, "correlation"));
  if (is_nothing(text)) return Launch::no_correlation;
  return number(text,
                layout_->correlation ? layout_->titles[*layout_->correlation] : "correlation");
}

std::string_view CuptiRowParser::cell(const std::optional<size_t>& column) const {
  return column ? cursor_.row().cells[*column] : std::string_view();
}

std::string_view CuptiRowParser::cell(const std::optional<size_t>& column,
                                      std::string_view key) const {
  if (column || !layout_->args) return cell(column);
  return member_of_cell(cell(layout_->args), key).value_or("");
}

int64_t CuptiRowParser::number(std::string_view text, std::string_view what) const {
  if (const auto value = whole_number(text)) return *value;
  cursor_.fail(at_, fmt::format("`{}` is not a number: `{}`", what, shown_text(text)));
}

void CuptiRowParser::add_dropped(std::string_view what) {
  out_->add_dropped(what, cursor_.place().offset + at_);
}

}  // namespace kr::trace
