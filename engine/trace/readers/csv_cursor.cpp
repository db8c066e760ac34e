#include "trace/readers/csv_cursor.hpp"

#include <fmt/format.h>

#include "trace/readers/csv_scan.hpp"

namespace kr::trace {

void CsvCursor::begin(std::string_view text, const TextPlace& place, CsvWidth width) {
  text_ = text;
  place_ = &place;
  width_ = width;
}

size_t CsvCursor::blank(size_t at) const noexcept {
  if (text_[at] == '\n') return 1;
  return text_.substr(at).starts_with("\r\n") ? 2 : 0;
}

bool CsvCursor::read(size_t at) {
  row_.read(text_.substr(at));
  const bool whole = row_.end == CsvRow::End::row || row_.end == CsvRow::End::text_ended;
  return whole && width_.holds(row_.cells.size());
}

std::optional<CsvStop> CsvCursor::unfinished() const noexcept {
  if (row_.end != CsvRow::End::text_ended) return std::nullopt;
  if (!place_->last) return CsvStop::more;
  if (place_->cut_off) return CsvStop::truncated;
  return std::nullopt;
}

std::optional<std::string_view> CsvCursor::line(size_t at) const noexcept {
  const std::string_view rest = text_.substr(at);
  const size_t newline = rest.find('\n');
  if (newline == rest.npos && !place_->last) return std::nullopt;
  return rest.substr(0, newline);
}

std::optional<CsvStop> CsvCursor::refuse(size_t at) const {
  const bool inside = row_.end == CsvRow::End::inside;
  const bool cut = inside || row_.end == CsvRow::End::text_ended;
  if (cut && !place_->last) return CsvStop::more;
  if (cut && (inside || row_.cells.size() < width_.least)) {
    if (place_->allow_truncated) return CsvStop::truncated;
    fail(at, "the file is cut off in this row",
         "export it again, or read the complete part with --allow-truncated");
  }
  if (row_.end == CsvRow::End::malformed) {
    fail(at, fmt::format("unexpected quote in cell {}", row_.cells.size()));
  }
  if (!width_.holds(row_.cells.size())) {
    fail(at, fmt::format("the row has {} cells, but the header has {}", row_.cells.size(),
                         width_.most));
  }
  return std::nullopt;
}

Error CsvCursor::error(size_t at, std::string why, std::string remedy) const {
  const Error::Place place{.line = place_->first_line() + line_breaks(text_.substr(0, at)),
                           .offset = place_->offset + at};
  return {*place_->shown, place, std::move(why), std::move(remedy)};
}

void CsvCursor::fail(size_t at, std::string why, std::string remedy) const {
  throw error(at, std::move(why), std::move(remedy));
}

}  // namespace kr::trace
