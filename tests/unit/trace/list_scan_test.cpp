// Cutting between items of a list, against bytes followed one by one.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/rounds.hpp"
#include "trace/readers/event_windows.hpp"

namespace kr::test::list_scan_test {

TEST_CASE("items end where brackets outside of strings close, wherever blocks end") {
  std::mt19937_64 random(5);
  constexpr std::string_view bytes = "{}[]{}\"\\\\ab,:\"\"";
  // A backslash at the end of 64 bytes is forgotten: found in round 4.
  for (uint64_t round = 0; round < rounds(500, 4); ++round) {
    CAPTURE(round);
    std::string text;
    const size_t wanted = 64 * (1 + random() % 6);
    while (text.size() < wanted) {
      text.append(1 + (random() % 8 == 0 ? random() % 70 : 0), bytes[random() % bytes.size()]);
    }
    text.resize(wanted);
    uint64_t depth = 0, last = 0, at = 0;
    bool string = false, escaped = false, ended = false;
    for (; at < text.size() && !ended; ++at) {
      const char c = text[at];
      const bool behind = escaped;
      escaped = c == '\\' && !behind;
      if (c == '"' && !behind) string = !string;
      if (string) continue;
      if (c == '{' || c == '[') ++depth;
      if (c != '}' && c != ']') continue;
      if (depth == 0) {
        ended = true;
        break;
      }
      if (--depth == 0) last = at + 1;
    }
    trace::ListScan scan;
    for (size_t done = 0; done < text.size();) {
      const size_t steps = std::min<size_t>(1 + random() % 3, (text.size() - done) / 64);
      scan.scan(text.data() + done, steps);
      done += steps * 64;
    }
    CAPTURE(text);
    REQUIRE(scan.list_ended() == ended);
    REQUIRE(scan.last_item_end() == last);
    REQUIRE(scan.scanned() == at);
  }
}

}  // namespace kr::test::list_scan_test
