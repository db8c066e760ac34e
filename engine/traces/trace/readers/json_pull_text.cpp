// Strings, with all that they can contain; and what is wrong, and where in the value.
#include <fmt/format.h>

#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_scan.hpp"
#include "trace/readers/json_text.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/value_path.hpp"

namespace kr::trace {

std::string_view JsonPull::text() {
  const char* const begin = at_ + 1;
  const char* const stop = string_stop(begin);
  if (*stop != '"') return text_with_escapes(static_cast<size_t>(stop - at_));
  at_ = stop + 1;
  return {begin, static_cast<size_t>(stop - begin)};
}

// `at` counts from the opening quote, which stays where the cursor is.
std::string_view JsonPull::text_with_escapes(size_t at) {
  bool escapes = false;
  while (at_[at] != '"') {
    if (at_ + at >= end_) {
      if (!more(at_)) break;
    } else if (at_[at] == '\\') {
      escapes = true;
      hold(at + 2);
      at += 2;
    } else {
      break;
    }
    at = static_cast<size_t>(string_stop(at_ + at) - at_);
  }
  // What ends the string ends an escape, too, unless it is the end of the text.
  const bool ended = at_ + at < end_;
  const char* const stop = ended ? at_ + at + 1 : end_;
  if (escapes) unescape({at_ + 1, static_cast<size_t>(stop - at_ - 1)});
  if (!ended) cut();
  if (at_[at] != '"') wrong(at_ + at, "a string contains a control byte that is not escaped");
  const std::string_view raw(at_ + 1, at - 1);
  at_ = stop;
  if (!escapes) return raw;
  unescaped_.pop_back();
  return unescaped_;
}

void JsonPull::unescape(std::string_view raw) {
  unescaped_.clear();
  const EscapeFault fault = append_unescaped(unescaped_, raw);
  const char* const at = raw.data() + fault.at;
  switch (fault.kind) {
    case EscapeFault::Kind::none:
      break;
    case EscapeFault::Kind::invalid:
      wrong(at, "a string contains an invalid escape");
    case EscapeFault::Kind::half:
      wrong(at, "a string contains half a character (a lone surrogate)");
    case EscapeFault::Kind::cut:
      cut();
  }
}

std::string JsonPull::usual_remedy() {
  return "fix it there, or create the file again";
}

std::string JsonPull::path() const {
  size_t parts = 0;
  while (parts < levels_.size() && levels_[parts].within) ++parts;
  return value_path(parts, [&](size_t i) {
    const Level& level = levels_[i];
    const std::string_view key = level.key != nullptr ? std::string_view(level.key, level.key_size)
                                 : level.object       ? std::string_view(kept_keys_[i])
                                                      : std::string_view();
    return ValuePathPart{level.object, key, level.count - 1};
  });
}

Error JsonPull::error(std::string_view why, std::string remedy) const {
  const std::string where = path();
  return {input_->shown(), Error::Place{.line = {}, .offset = offset_},
          fmt::format("{} {}", where.empty() ? "the whole" : where, why), std::move(remedy)};
}

void JsonPull::expect(JsonKind kind) {
  const JsonKind is = value();
  if (is != kind) throw error(fmt::format("is {}, not {}", to_string(is), to_string(kind)));
}

void JsonPull::wrong(const char* at, std::string_view why) const {
  const std::string where = path();
  throw Error(input_->shown(), Error::Place{.line = {}, .offset = place(at)},
              fmt::format("this is not JSON: {}{}{}", why, where.empty() ? "" : ", in ", where),
              usual_remedy());
}

void JsonPull::cut() const {
  const std::string where = path();
  throw JsonCut(input_->shown(), Error::Place{.line = {}, .offset = place(end_)},
                fmt::format("the file is cut off here{}{}", where.empty() ? "" : ", in ", where),
                "copy it again, or read the complete part with --allow-truncated");
}

void JsonPull::missing(std::string_view what) const {
  if (at_ == end_) cut();
  wrong(at_, fmt::format("{} is missing", what));
}
}  // namespace kr::trace
