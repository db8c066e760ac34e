#include "trace/readers/csv_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/readers/csv_scan.hpp"

namespace kr::trace {

// Both give the place of the comma or line break behind the cell, or of the fault.
size_t CsvRow::quoted_cell(std::string_view text, size_t at) {
  const size_t begin = ++at;
  std::string* unquoted = nullptr;
  size_t copied = begin;  // so far to `unquoted`
  while (true) {
    at = std::min(text.find('"', at), text.size());
    const bool doubled = at + 1 < text.size() && text[at + 1] == '"';
    if (!doubled) break;
    if (unquoted == nullptr) unquoted = &unquoted_.emplace_back();
    unquoted->append(text, copied, at + 1 - copied);
    at += 2;
    copied = at;
  }
  if (unquoted != nullptr) {
    unquoted->append(text, copied, at - copied);
    cells.emplace_back(*unquoted);
  } else {
    cells.push_back(text.substr(begin, at - begin));
  }
  if (at == text.size()) {
    end = End::inside;
    return at;
  }
  ++at;
  const bool returns = at < text.size() && text[at] == '\r';
  if (returns && (at + 1 == text.size() || text[at + 1] == '\n')) ++at;
  if (at < text.size() && text[at] != ',' && text[at] != '\n') end = End::malformed;
  return at;
}

size_t CsvRow::plain_cell(std::string_view text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && text[at] != ',' && text[at] != '\n' && text[at] != '"') ++at;
  if (at < text.size() && text[at] == '"') end = End::malformed;
  const bool at_end = at == text.size() || text[at] == '\n';
  const bool returns = at_end && at != begin && text[at - 1] == '\r';
  cells.push_back(text.substr(begin, at - begin - (returns ? 1 : 0)));
  return at;
}

void CsvRow::read(std::string_view text) {
  cells.clear();
  unquoted_.clear();
  end = End::row;
  for (size_t at = 0;; ++at) {
    const bool quoted = at < text.size() && text[at] == '"';
    at = quoted ? quoted_cell(text, at) : plain_cell(text, at);
    size = at;
    if (end != End::row) return;
    if (at == text.size()) {
      end = End::text_ended;
      return;
    }
    if (text[at] == '\n') {
      ++size;
      return;
    }
  }
}

Error::Place TextPlace::where(size_t at) const noexcept {
  return {.line = line + line_breaks(text.substr(0, at)), .offset = offset + at};
}

Error TextPlace::error(const CsvFault& fault) const {
  return {*shown, where(fault.at), fault.why, fault.remedy};
}

void CsvCursor::begin(const TextPlace& place, CsvWidth width, CsvProgress& progress) {
  place_ = &place;
  width_ = width;
  progress_ = &progress;
  stop(CsvStop::end, place.text.size());
}

// Bytes of the line break at `at`; 0 if there is none.
size_t CsvCursor::blank(size_t at) const noexcept {
  if (text()[at] == '\n') return 1;
  return text().substr(at).starts_with("\r\n") ? 2 : 0;
}

bool CsvCursor::read(size_t at) {
  row_.read(text().substr(at));
  const bool whole = row_.end == CsvRow::End::row || row_.end == CsvRow::End::text_ended;
  return whole && width_.allows(row_.cells.size());
}

bool CsvCursor::unfinished(size_t at) noexcept {
  if (row_.end != CsvRow::End::text_ended || (place_->last && !place_->cut_off)) return false;
  stop(place_->last ? CsvStop::truncated : CsvStop::more, at);
  return true;
}

std::optional<std::string_view> CsvCursor::line(size_t at) noexcept {
  const std::string_view rest = text().substr(at);
  const size_t newline = rest.find('\n');
  if (newline != rest.npos || place_->last) return rest.substr(0, newline);
  stop(CsvStop::more, at);
  return std::nullopt;
}

size_t CsvCursor::past(std::string_view line, size_t at) const noexcept {
  return std::min(line.size() + 1, text().size() - at);
}

bool CsvCursor::refuse(size_t at) {
  const bool inside = row_.end == CsvRow::End::inside;
  const bool cut = inside || row_.end == CsvRow::End::text_ended;
  if (cut && !place_->last) {
    stop(CsvStop::more, at);
    return true;
  }
  if (cut && (inside || row_.cells.size() < width_.least)) {
    if (!place_->allow_truncated) {
      fail(at, "the file is cut off in this row",
           "export it again, or read the complete part with --allow-truncated");
    }
    stop(CsvStop::truncated, at);
    return true;
  }
  if (row_.end == CsvRow::End::malformed) {
    fail(at, fmt::format("unexpected quote in cell {}", row_.cells.size()));
  }
  if (!width_.allows(row_.cells.size())) {
    fail(at, fmt::format("the row has {} cells, but the header has {}", row_.cells.size(),
                         width_.most));
  }
  return false;
}

size_t CsvCursor::stop(CsvStop why, size_t at) noexcept {
  progress_->stop = why;
  progress_->consumed = at;
  return 0;
}

void CsvCursor::fail(size_t at, std::string why, std::string remedy) {
  if (remedy.empty()) remedy = "correct this line, or export the file again";
  throw CsvFault{at, std::move(why), std::move(remedy)};
}

}  // namespace kr::trace
