#include "classify/run_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"
#include "base/decimal.hpp"
#include "base/error.hpp"

namespace kr::classify {
namespace {

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_digit);
}

/// `12`, `12.5`, `.5`, with or without a sign: meant as a number, valid or not.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view fraction = dot == text.npos ? "" : text.substr(dot + 1);
  return is_digits(whole) && is_digits(fraction) && !(whole.empty() && fraction.empty());
}

/// Decimal seconds to ns, exactly; the tenth decimal rounds half up.
int64_t seconds_to_ns(std::string_view text, std::string_view run) {
  const auto fail = [&](std::string_view why) -> int64_t {
    throw Error("", fmt::format("elapsed time `{}` of run `{}` {}", text, run, why),
                "give seconds from 0 to 9000000000, such as 12.5");
  };
  if (text.starts_with('-')) fail("is negative");
  if (text.starts_with('+')) text.remove_prefix(1);
  // `.5` and `12.` are fine for a person.
  int64_t ns = 0;
  const std::string decimal = fmt::format("0{}{}", text, text.ends_with('.') ? "0" : "");
  if (read_decimal(decimal, 9, ns) != DecimalFault::none) fail("is too large");
  return ns;
}

std::string name_or_detect(std::string_view word) {
  return word == "auto" ? std::string() : std::string(word);
}

/// A path and the last fields of a text, which commas separate.
struct Split {
  std::string path;
  std::vector<std::string_view> fields;
};

Split split_from_right(std::string_view text, size_t fields) {
  Split split;
  size_t end = text.size();
  for (size_t i = 0; i < fields; ++i) {
    const size_t comma = text.rfind(',', end - 1);
    split.fields.insert(split.fields.begin(), text.substr(comma + 1, end - comma - 1));
    end = comma;
  }
  split.path = text.substr(0, end);
  return split;
}

}  // namespace

RunSpec parse_run_spec(std::string_view text,
                       const std::function<bool(const std::string&)>& exists) {
  if (text.empty()) throw Error("", "a run without a path", "write PATH[,ENGINE,MODEL[,ELAPSED]]");
  const size_t commas = static_cast<size_t>(std::count(text.begin(), text.end(), ','));
  const size_t most = std::min<size_t>(commas, 3);

  // The longest path that exists; if none does, by the form of the text.
  std::optional<Split> found;
  for (size_t fields = 0; fields <= most && !found; ++fields) {
    Split split = split_from_right(text, fields);
    if (fields == 3 && !looks_like_number(split.fields[2]) && !exists(split.path)) continue;
    if (split.path == "-" || exists(split.path)) found = std::move(split);
  }
  if (!found) {
    const bool elapsed = most == 3 && looks_like_number(split_from_right(text, 3).fields.back());
    found = split_from_right(text, elapsed ? 3 : std::min<size_t>(most, 2));
  }

  RunSpec spec;
  spec.path = found->path;
  if (!found->fields.empty()) spec.engine = name_or_detect(found->fields[0]);
  if (found->fields.size() > 1) spec.model = name_or_detect(found->fields[1]);
  if (found->fields.size() > 2 && !found->fields[2].empty()) {
    if (!looks_like_number(found->fields[2])) {
      throw Error(
          "", fmt::format("elapsed time `{}` of run `{}` is not a number", found->fields[2], text),
          "give seconds, such as 12.5");
    }
    spec.elapsed_ns = seconds_to_ns(found->fields[2], text);
  }
  return spec;
}

}  // namespace kr::classify
