#include "source/source_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace kr::source {

FileId SourceMap::add(std::string path, std::string text) {
  if (text.size() >= std::numeric_limits<uint32_t>::max()) {
    throw Error(path, "the rules file is 4 GiB or larger", "split it");
  }
  File file{std::move(path), std::move(text), {0}};
  for (size_t at = file.text.find('\n'); at != std::string::npos;
       at = file.text.find('\n', at + 1)) {
    file.line_starts.push_back(static_cast<uint32_t>(at + 1));
  }
  files_.push_back(std::move(file));
  return {static_cast<uint32_t>(files_.size() - 1)};
}

const SourceMap::File& SourceMap::get(FileId file) const {
  KR_CHECK(file.index < files_.size());
  return files_[file.index];
}

Position SourceMap::position(FileId file, uint32_t offset) const {
  const auto& starts = get(file).line_starts;
  const auto after = std::ranges::upper_bound(starts, offset);
  return {static_cast<uint32_t>(after - starts.begin()), offset - *(after - 1) + 1};
}

std::string_view SourceMap::line(FileId file, uint32_t number) const {
  const File& source = get(file);
  KR_CHECK(number >= 1 && number <= source.line_starts.size());
  const size_t start = source.line_starts[number - 1];
  size_t end =
      number < source.line_starts.size() ? source.line_starts[number] - 1 : source.text.size();
  if (end > start && source.text[end - 1] == '\r') --end;
  return std::string_view(source.text).substr(start, end - start);
}

std::string SourceMap::place(Span span) const {
  return fmt::format("{}:{}", path(span.file), begin(span).line);
}

}  // namespace kr::source
