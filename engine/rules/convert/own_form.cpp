#include "convert/own_form.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"

namespace kr::convert {
namespace {

/// A byte of a word: a letter, digit, `_`, `$`, or beyond ASCII.
constexpr std::string_view word = "[^\\x00-#%-/:-@\\[-^`{-\\x7f]";
constexpr std::string_view word_or_colon = "[^\\x00-#%-/;-@\\[-^`{-}\\x7f]";  // or `~`
constexpr std::string_view unnamed = "(?:\\(anonymous namespace\\)|<unnamed>|\\{anonymous\\})::";

/// `<…>`, in which others are nested.
std::string arguments(int depth) {
  if (depth == 0) return "<[^<>]*>";
  return fmt::format("<[^<>]*(?:{}[^<>]*)*>", arguments(depth - 1));
}

OwnForm make() {
  const std::string bracket = arguments(OwnForm::depth - 1);
  const std::string name = fmt::format("(?:{}|[*&]|{})", word, unnamed);
  // Unnamed scopes come first, because `<unnamed>` would match as template arguments.
  const std::string unit =
      fmt::format("(?:{}|{}|(?<={}){}(?=[:(*& ]|\\Z))", word_or_colon, unnamed, word, bracket);
  // After the own name: the end, parameters, a space and no further name, arguments and no further
  // name, or arguments nested deeper.
  const std::string rest = fmt::format(
      "(?:\\Z|(?<={0})\\(|(?<=>)\\(| +(?!{1}| )|(?<={0}){2}(?![:(*&]| +{1})|(?<={0})(?!{2})<)",
      word, name, bracket);
  OwnForm form;
  form.function =
      // A letter or an unnamed scope begins it, and it has arguments, parameters or `void`.
      fmt::format("(?=(?![0-9]){0}|{1})(?=void |(?:{2}|[*& ])*(?:(?<={0})[<(]|{1}))", word, unnamed,
                  word_or_colon) +
      // Return types.
      fmt::format("(?:{0}*[*&]* +(?={1})[*&]*)*(?:{2})*(?!{2})(?={0}*{3})", unit, name, unnamed,
                  rest);
  form.unit = unit;
  form.before_colon = fmt::format("(?:{})?", bracket);
  form.after_colon = fmt::format("(?:{})*", unnamed);
  form.end = fmt::format("(?=[(<*& ]|\\Z)(?!{}:|{})", bracket, unnamed);
  return form;
}

}  // namespace

const OwnForm& OwnForm::get() {
  static const OwnForm form = make();
  return form;
}

const regex::ByteSet& OwnForm::bytes() {
  static const regex::ByteSet set = [] {
    regex::ByteSet made;
    for (size_t byte = 0; byte < made.size(); ++byte) {
      const char c = static_cast<char>(byte);
      if (byte >= 0x80 || is_identifier_byte(c) || c == '$' || c == ':' || c == '~') made.set(byte);
    }
    return made;
  }();
  return set;
}

}  // namespace kr::convert
