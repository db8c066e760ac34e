// Any bytes as a regular expression: an accepted pattern must print, build and match; a refused one
// must have a diagnostic inside the pattern.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "regex/nfa.hpp"
#include "regex/regex.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kr;
  // The first byte determines the case flag; the bytes after a NUL are a name.
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view pattern = all.substr(0, all.find('\0'));
  const std::string_view name =
      pattern.size() < all.size() ? all.substr(pattern.size() + 1) : std::string_view("abc");
  source::SourceMap sources;
  const source::FileId file = sources.add("fuzz", "x" + std::string(pattern));
  const source::Span span{file, 1, 1 + static_cast<uint32_t>(pattern.size())};
  diag::Sink sink;
  const auto regex =
      regex::parse(sources.text(span), span, {.ignore_case = (data[0] & 1) != 0}, sink);
  KR_CHECK(regex.has_value() == !sink.has_errors());
  for (const diag::Diagnostic& diagnostic : sink.all()) {
    KR_CHECK(diagnostic.span.begin >= span.begin && diagnostic.span.end <= span.end);
    KR_CHECK(diagnostic.span.begin <= diagnostic.span.end);
  }
  if (!regex) return 0;
  (void)regex::to_hyperscan(*regex);
  (void)regex::to_re2(*regex);
  (void)regex::group_names(*regex);
  const regex::Nfa nfa(*regex);
  if (nfa.states() * name.size() > 10'000'000) return 0;
  const auto match = nfa.find(name);
  KR_CHECK(match.has_value() == nfa.search(name));
  const auto rest = regex::without_empty(*regex);
  const bool filled = rest && regex::Nfa(*rest).search(name);
  KR_CHECK(match.has_value() ==
           (filled || (regex::empty_places(*regex) & regex::places_of(name)) != 0));
  return 0;
}
