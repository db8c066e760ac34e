// Events of Chrome's trace event format as text, and the numbers of their processes and threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/gzip.hpp"
#include "export/lanes.hpp"

namespace kr::exports {

/// The name of the colour of chrome://tracing, an event's `cname`, that is nearest to `#rrggbb`; of
/// equals the first in Chrome's list.
std::string_view chrome_color(std::string_view color);

/// Numbers of processes, or of the threads of one: those of the trace if viewers accept them.
class ChromeNumbers {
 public:
  int64_t take(std::optional<int64_t> wanted);

 private:
  std::set<int64_t> taken_;
  int64_t next_ = 1000000;  // above the numbers of most processes, threads and streams
};

/// The place of an event.
struct ChromePlace {
  int64_t process = 0;
  int64_t thread = 0;
};

/// The list of events, one per line, written in pieces of some 64 KiB.
class ChromeEvents {
 public:
  ChromeEvents(int64_t base_ns, const ByteSink& write) : base_ns_(base_ns), write_(write) {}

  /// What comes before the first event.
  std::string& text() noexcept { return out_; }
  /// Begins an event: `head` is its `{` and members, as many as there are.
  void begin(std::string_view head);
  /// Where and when it is. Times of 64 bits, whose differences fit in 64 bits without a sign.
  void time(ChromePlace place, int64_t ns);
  void interval(ChromePlace place, int64_t start_ns, int64_t end_ns);
  /// Members, or other text.
  void add(std::string_view text) { out_ += text; }
  void end() { out_ += '}'; }

  void name_process(int64_t process, std::string_view name, size_t rank);
  void name_thread(ChromePlace place, std::string_view name, size_t rank);
  /// Writes the rest.
  void finish(std::string_view tail);

 private:
  void place(ChromePlace place);
  void member(std::string_view key, uint64_t ns);
  void name(std::string_view what, ChromePlace place, std::string_view name, size_t rank);
  int64_t base_ns_;
  const ByteSink& write_;
  std::string out_;
  bool first_ = true;
};

/// Text as a JSON string that every viewer reads.
std::string chrome_text(std::string_view text);

/// Tracks of one title in one process, as many as its intervals need so that none overlap.
class ChromeTracks {
 public:
  /// `wanted`: the number of the first track; it is reserved at once.
  ChromeTracks(ChromeEvents& events, int64_t process, ChromeNumbers& numbers, std::string title,
               std::optional<int64_t> wanted, size_t rank);

  /// In order of start. A track is named when it is first used.
  ChromePlace lane(int64_t start_ns, int64_t end_ns);

 private:
  ChromeEvents* events_;
  int64_t process_;
  ChromeNumbers* numbers_;
  std::string title_;
  int64_t first_;
  size_t rank_;
  Lanes lanes_;
  std::vector<int64_t> threads_;
};

}  // namespace kr::exports
