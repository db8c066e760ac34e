// Any bytes as tables to import: what is not a table is refused with an Error that names the file,
// and what is taken becomes rules that load and label every name as the tables do (which the
// importer proves of each result itself).
#include "convert/import.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace {

/// Patterns and labels, each up to a NUL or a line break, as the tables of two models.
std::string tables_of(std::string_view text) {
  constexpr size_t longest = 48;  // of a pattern: proofs are to stay short
  std::string json = "{\"e\":{\"m\":{";
  std::string_view separator;
  for (int rules = 0; rules < 6 && !text.empty(); ++rules) {
    const size_t end = std::min(text.find_first_of(std::string_view("\0\n", 2)), text.size());
    std::string_view pattern = text.substr(0, std::min(end, longest));
    while (!pattern.empty() && (static_cast<unsigned char>(pattern.back()) & 0x80) != 0) {
      pattern.remove_suffix(1);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
    json += separator;
    json += kr::json_string(pattern) + ":\"" + std::string(1, static_cast<char>('x' + rules % 2)) +
            "\"";
    separator = rules == 2 ? "},\"n\":{" : ",";
  }
  return json + "}}}";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kr;
  // The first byte decides whether JSON follows or patterns.
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  source::SourceMap sources;
  diag::Sink sink;
  const source::FileId file =
      sources.add("fuzz.json", data[0] % 4 == 0 ? std::string(text) : tables_of(text));
  try {
    const convert::Imported imported = convert::import_tables(sources, file, {}, sink);
    KR_CHECK(!imported.text.empty());
    KR_CHECK(imported.left_out <= imported.rules);
    KR_CHECK(!sink.has_errors());
  } catch (const Error& error) {
    // An Error without a path would be of the result, which does not mean what was read.
    KR_CHECK(error.path() == "fuzz.json");
  }
  return 0;
}
