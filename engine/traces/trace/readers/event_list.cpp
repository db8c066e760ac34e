#include "trace/readers/event_list.hpp"

#include "trace/readers/json_scan.hpp"

namespace kr::trace {

bool WindowTokens::find(std::string_view window) {
  text_ = written_ = window;
  if (tokens_.find(window)) return true;
  patched_.assign(window);
  const bool any = blank_control_bytes(patched_);
  patched_.append(json_padding, '\0');
  text_ = {patched_.data(), window.size()};
  return any && tokens_.find(text_);
}

bool blank_control_bytes(std::string& text) {
  bool any = false;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && static_cast<unsigned char>(text[at]) < 0x20) {
      text[at] = ' ';
      any = true;
    }
    // What it escapes does not end the string; a control byte cannot be escaped so.
    if (text[at] == '\\') ++at;
  }
  return any;
}

void throw_broken_events(JsonPull& json, uint64_t events, std::string text, uint64_t offset,
                         bool input_ended) {
  blank_control_bytes(text);  // which are not what is wrong
  json.resume(events, text, offset, input_ended);
  while (json.next()) {
    if (json.value() != JsonKind::object) throw json.error("is not an event: events are objects");
    json.skip();
  }
  throw json.error("contains invalid JSON");
}

}  // namespace kr::trace
