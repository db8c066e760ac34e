// Tracks of a Perfetto trace: what their descriptors say of the process and the thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kr::trace {

/// How the values of a track are to be read.
struct TrackCounter {
  int64_t multiplier = 1;
  bool incremental = false;

  friend bool operator==(const TrackCounter&, const TrackCounter&) = default;
};

class PftraceTracks {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  /// The number of the track that has this id now; without a descriptor so far, it gets the next.
  uint32_t find(uint64_t uuid);
  /// Of events in the form before tracks.
  uint32_t of_thread(int64_t pid, int64_t tid);
  /// A TrackDescriptor. It counts from here on: another one of the same id begins another track.
  void take(std::string_view descriptor);

  /// By the descriptors of the track and of those above it; nullopt: none says.
  std::optional<int64_t> process(uint32_t track) const;
  /// `1560`, or what stands in its place.
  std::string process_text(uint32_t track) const;
  std::string thread_text(uint32_t track) const;
  const std::string& name(uint32_t track) const { return tracks_[track].name; }
  const std::optional<TrackCounter>& counter(uint32_t track) const {
    return tracks_[track].counter;
  }
  /// What a process is called; empty: nothing.
  std::string_view process_name(int64_t pid) const;
  size_t size() const noexcept { return tracks_.size(); }

 private:
  struct Track {
    bool described = false;
    uint64_t parent = 0;
    uint32_t parent_track = none;  // that had the id when the descriptor stood there
    std::string name = {};
    std::optional<int64_t> pid = {};
    std::optional<int64_t> tid = {};
    std::optional<TrackCounter> counter = {};

    friend bool operator==(const Track&, const Track&) = default;
  };

  template <class Found>
  void above(uint32_t track, const Found& found) const;

  std::vector<Track> tracks_;
  std::unordered_map<uint64_t, uint32_t> now_;  // by id
  uint64_t last_uuid_ = 0;
  uint32_t last_ = none;
  std::map<std::pair<int64_t, int64_t>, uint32_t> threads_;
  std::map<int64_t, std::string> process_names_;
};

}  // namespace kr::trace
