// Packets of a Perfetto trace: slices on tracks, whose texts are written once and referred to by
// number. All are one sequence of packets. Slices come track by track, in the order of time, and
// have the time since the event before, on a clock of their track.
//
// What the fields are: https://perfetto.dev/docs/reference/trace-packet-proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/gzip.hpp"

namespace kr::exports {

/// What is said of the whole trace; the UI shows it in its overview.
struct PerfettoAttribute {
  std::string key;
  std::string text = {};
  std::optional<int64_t> number = {};  // instead of a text
};

/// A row of the display.
struct PerfettoTrack {
  uint64_t parent = 0;  // 0: none
  std::string name = {};
  /// Of a process, and, with `thread`, of one of its threads. Both have to be above 0.
  std::optional<int32_t> process = {};
  std::optional<int32_t> thread = {};
  std::optional<size_t> rank = {};  // its place below the parent; nullopt: by name
};

class PerfettoPackets {
 public:
  /// `base_ns`: of the first event, on the clock of the trace; not before 0. `utc_ns`: what to add
  /// for ns since 1970, where it is known. `salt`: of two traces that may be concatenated,
  /// different ones. `write` gets pieces of some 64 KiB.
  PerfettoPackets(int64_t base_ns, std::optional<int64_t> utc_ns, uint64_t salt,
                  const std::vector<PerfettoAttribute>& attributes, const ByteSink& write);

  /// Its number.
  uint64_t track(const PerfettoTrack& track);

  /// What follows is mostly of this track.
  void section(uint64_t track);
  /// A slice: `head` is the category, the name and what else is said of it; `more` likewise. Times
  /// since the first event; those of one track may not fall.
  void begin(uint64_t track, uint64_t time_ns, std::string_view head, std::string_view more = {});
  void end(uint64_t track, uint64_t time_ns);

  // Parts of slices.

  void category(std::string& to, std::string_view text) { refer(to, 3, categories_, text); }
  void name(std::string& to, std::string_view text) { refer(to, 10, names_, text); }
  void annotate(std::string& to, std::string_view key, int64_t value);
  void annotate(std::string& to, std::string_view key, std::string_view value);
  /// Keys with texts each.
  void annotate(std::string& to, std::string_view key,
                const std::vector<std::pair<std::string, std::string>>& values);
  void annotate(std::string& to, std::string_view key, const std::vector<std::string_view>& list);
  /// An arrow to the slice that has the same number as its end. Numbers from 0.
  void arrow_begins(std::string& to, uint64_t number) const;
  void arrow_ends(std::string& to, uint64_t number) const;

  /// Writes the rest.
  void finish();

 private:
  /// A table of texts that slices refer to by number.
  struct Table {
    uint32_t field;  // of InternedData
    DistinctTexts texts = {};
  };

  uint32_t number(Table& table, std::string_view text);
  void refer(std::string& to, uint32_t field, Table& table, std::string_view text);
  void annotation(std::string& to, std::string_view key, std::string_view value);
  /// When a track had its last event, and by which clock; 0: it had none.
  struct Now {
    uint64_t last_ns = 0;
    int64_t clock = 0;
  };
  Now& now(uint64_t track);
  /// What a track needs beside the time of an event, and that time on its clock.
  uint64_t place(uint64_t track, uint64_t time_ns);
  void packet(std::string_view fields);
  void write_packed();

  uint64_t salt_;
  const ByteSink& write_;
  Table categories_{1}, names_{2}, keys_{3}, strings_{29};
  std::string interned_;  // texts that no packet has yet
  std::string event_, fields_, packet_;
  std::string packets_;  // to be packed
  std::string packed_;
  std::vector<Now> tracks_;  // by number, from 1
  int64_t last_clock_;
  uint64_t section_ = 0;  // the track that needs not be named
};

/// Tracks of one name below one parent, as many as their slices need. The UI shows them as one.
class PerfettoTracks {
 public:
  /// The first is described at once, the others when they are first used.
  PerfettoTracks(PerfettoPackets& packets, PerfettoTrack track)
      : packets_(&packets), track_(std::move(track)), tracks_{packets.track(track_)} {
    if (!track_.process) return;
    track_ = {.parent = tracks_[0], .name = std::move(track_.name), .rank = track_.rank};
  }

  uint64_t operator[](size_t lane) {
    while (tracks_.size() <= lane) tracks_.push_back(packets_->track(track_));
    return tracks_[lane];
  }

 private:
  PerfettoPackets* packets_;
  PerfettoTrack track_;
  std::vector<uint64_t> tracks_;
};

}  // namespace kr::exports
