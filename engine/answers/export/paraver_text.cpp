#include "export/paraver_text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace kr::exports {
namespace {

constexpr size_t text_piece_bytes = 256 << 10;
constexpr int64_t no_time_ns = 0;  // of the date of a trace whose clock is not known

// As communications of nsys2prv.
constexpr int64_t kernel_tag = 55001;
constexpr int64_t copy_tag = 55002;

int64_t type_of(const ParaverLabels& labels, const ParaverRecord& record) {
  switch (record.kind) {
    case ParaverRecord::Kind::range:
      return labels.range_type(record.domain);
    case ParaverRecord::Kind::module:
      return paraver_type::host_module;
    case ParaverRecord::Kind::collective:
      return paraver_type::collective;
    case ParaverRecord::Kind::copy:
      return paraver_type::copy;
    case ParaverRecord::Kind::call:
      return paraver_type::call;
    default:
      return paraver_type::kernel;
  }
}

const ParaverValues& values_of(const ParaverLabels& labels, const ParaverRecord& record) {
  switch (record.kind) {
    case ParaverRecord::Kind::range:
      return labels.ranges(record.domain);
    case ParaverRecord::Kind::module:
      return labels.host_modules;
    case ParaverRecord::Kind::collective:
      return labels.collectives;
    case ParaverRecord::Kind::copy:
      return labels.copies;
    case ParaverRecord::Kind::call:
      return labels.calls;
    default:
      return labels.kernels;
  }
}

/// `dd/mm/yyyy at hh:mm`, in UTC. Days to a date as by Howard Hinnant's `civil_from_days`.
std::string date(int64_t utc_ns) {
  constexpr int64_t minute_ns = 60'000'000'000;
  int64_t minutes = utc_ns / minute_ns - (utc_ns % minute_ns < 0 ? 1 : 0);
  int64_t days = minutes / 1440 - (minutes % 1440 < 0 ? 1 : 0);
  minutes -= days * 1440;
  days += 719468;  // from 0000-03-01
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
  const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:02}/{:02}/{:04} at {:02}:{:02}", day, month, year, minutes / 60,
                     minutes % 60);
}

}  // namespace

ParaverText::ParaverText(const ParaverLabels& labels, const ParaverRows& rows, int64_t base_ns,
                         const ByteSink& write)
    : labels_(labels), rows_(rows), base_ns_(base_ns), write_(write) {
  buffer_.reserve(text_piece_bytes + 4096);
}

void ParaverText::header(int64_t duration_ns, std::optional<int64_t> utc_ns) {
  buffer_ += fmt::format("#Paraver ({}):{}_ns:{}\n# kr {}\n", date(utc_ns.value_or(no_time_ns)),
                         duration_ns, rows_.header(), KR_VERSION);
}

void ParaverText::number(int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  buffer_.append(digits, end);
}

void ParaverText::pair(int64_t type, int64_t value) {
  buffer_ += ':';
  number(type);
  buffer_ += ':';
  number(value);
}

void ParaverText::end_line() {
  buffer_ += '\n';
  in_samples_ = false;
  if (buffer_.size() < text_piece_bytes) return;
  write_(buffer_);
  buffer_.clear();
}

void ParaverText::add(const ParaverRecord& record) {
  using Kind = ParaverRecord::Kind;
  using Order = ParaverRecord::Order;
  if (record.kind == Kind::metric || record.kind == Kind::in_flight) return sample(record);
  if (in_samples_) end_line();
  if (record.order == Order::communication) return launch(record);
  if (record.order != Order::end) event(record, false);
  if (record.order != Order::begin) event(record, true);
}

void ParaverText::event(const ParaverRecord& record, bool ends) {
  const auto value = [ends](int64_t begins) { return ends ? 0 : begins; };
  text("2:0:1:");
  text(rows_.place(record.row));
  buffer_ += ':';
  number(record.time_ns - base_ns_);
  pair(type_of(labels_, record), value(values_of(labels_, record)[record.value]));
  if (record.bytes != ParaverRecord::none) pair(paraver_type::copy_bytes, value(record.bytes));
  if (record.number != ParaverRecord::none) pair(paraver_type::correlation, value(record.number));
  if (record.labels != 0) text(ends ? labels_.end(record.labels) : labels_.begin(record.labels));
  if (record.phase != 0) pair(paraver_type::phase, value(labels_.phases[record.phase]));
  if (record.layer != 0) pair(paraver_type::layer, value(record.layer));
  if (record.module != 0) pair(paraver_type::module, value(labels_.modules[record.module]));
  end_line();
}

/// Metrics and counts of one time are on one line.
void ParaverText::sample(const ParaverRecord& record) {
  if (in_samples_ && (record.time_ns != samples_time_ns_ || record.row != samples_row_)) end_line();
  if (!in_samples_) {
    text("2:0:1:");
    text(rows_.place(record.row));
    buffer_ += ':';
    number(record.time_ns - base_ns_);
    samples_time_ns_ = record.time_ns;
    samples_row_ = record.row;
    in_samples_ = true;
  }
  const bool metric = record.kind == ParaverRecord::Kind::metric;
  pair(metric ? labels_.metric_type(record.value) : labels_.in_flight_type(record.value),
       record.number);
}

/// From the call to the operation; physical times are the logical ones.
void ParaverText::launch(const ParaverRecord& record) {
  const auto side = [&](uint32_t row, int64_t time_ns) {
    text(":0:1:");
    text(rows_.place(row));
    for (int i = 0; i < 2; ++i) {
      buffer_ += ':';
      number(time_ns - base_ns_);
    }
  };
  const bool copy = record.kind == ParaverRecord::Kind::copy_launch;
  buffer_ += '3';
  side(record.row, record.time_ns);
  side(record.value, record.number);
  pair(record.bytes != ParaverRecord::none ? record.bytes : 0, copy ? copy_tag : kernel_tag);
  end_line();
}

void ParaverText::finish() {
  if (in_samples_) end_line();
  write_(buffer_);
  buffer_.clear();
}

}  // namespace kr::exports
