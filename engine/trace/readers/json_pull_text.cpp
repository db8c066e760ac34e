// Strings, with all that can stand in them.
#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_scan.hpp"
#include "trace/readers/json_text.hpp"

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

}  // namespace kr::trace
