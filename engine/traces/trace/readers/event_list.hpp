// The one way a JSON list of events is read: cut between its events into windows, which other
// threads parse, and merged in the order of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/input.hpp"
#include "trace/readers/block_reader.hpp"
#include "trace/readers/event_windows.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_tokens.hpp"
#include "trace/readers/text_blocks.hpp"

namespace kr::trace {

/// A window, and what a parser found in it: `Rows` has `broken`, where what follows some events is
/// not JSON.
template <class Rows>
struct EventWindow {
  TextBlock window;
  bool first = false;  // the list begins with it, and no comma comes first
  Rows rows;
};

/// The tokens of a window. Some profilers do not escape control bytes in strings: they are spaces
/// to whoever walks over the tokens.
class WindowTokens {
 public:
  /// False: it is not JSON. Until the next call `window` has to stay.
  bool find(std::string_view window);

  std::string_view text() const noexcept { return text_; }
  /// The same, with its control bytes.
  std::string_view written() const noexcept { return written_; }
  const JsonTokens& tokens() const noexcept { return tokens_; }

 private:
  JsonTokens tokens_;
  std::string patched_;
  std::string_view text_, written_;
};

/// Control bytes inside strings, which JSON does not allow, become spaces. False: there are none.
bool blank_control_bytes(std::string& text);

/// Says what is wrong in `text`, at `offset`, the events from number `events` on.
[[noreturn]] void throw_broken_events(JsonPull& json, uint64_t events, std::string text,
                                      uint64_t offset, bool input_ended);

/// Reads the list that `json` has entered, and leaves it behind the list. `make_parser` makes one
/// parser a thread. `merge(window)` gets the windows that are not broken in the order of the file,
/// and adds their events to `events`. `end`: where the list's closing bracket is.
template <class Rows, class Merge>
void read_event_list(Input& input, JsonPull& json, unsigned threads, const uint64_t& events,
                     uint64_t& end,
                     std::function<std::function<void(EventWindow<Rows>&)>()> make_parser,
                     const Merge& merge) {
  using Window = EventWindow<Rows>;
  EventWindows windows(input, json.rest(), json.rest_offset());
  BlockReader<Window> reader(threads, std::move(make_parser));
  bool first = true;
  const std::vector<const Window*> broken = reader.read(
      [&](Window& window) {
        window.first = std::exchange(first, false);
        return windows.next(window.window);
      },
      [&](const Window& window) {
        if (!window.rows.broken) merge(window);
        return !window.rows.broken;
      });
  if (!broken.empty()) {
    std::string text;
    for (const Window* window : broken) text += window->window.text();
    text += windows.rest();
    throw_broken_events(json, events, std::move(text), broken[0]->window.offset,
                        windows.input_ended());
  }
  end = windows.rest_offset();
  json.resume(events, windows.rest(), windows.rest_offset(), windows.input_ended());
  // The list's end; or what is wrong there, or cut off.
  while (json.next()) {
    json.pass();
    if (windows.too_long()) throw json.error("is longer than 64 MiB");
  }
}

}  // namespace kr::trace
