// What the parsers of all formats find in a block, and the one way from there into a trace.
//
// A parser numbers names, tracks, calls, threads and names of ranges in the order it meets them
// (LocalIds); what is new in a block is listed with the block (BlockRows). Blocks are merged in the
// order of the source (add_block), which makes a parser's numbers the trace's. So the numbers of
// the trace do not depend on which thread parsed which block.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/host_trace.hpp"
#include "trace/open.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// By a parser's number: the trace's.
struct TraceIds {
  std::vector<NameId> names;
  std::vector<TrackId> tracks;
  std::vector<uint32_t> calls, threads, range_names, details, collective_calls, ops, frames;
};

/// All in the parser's numbers.
struct BlockRows {
  GrowingArray<Operation> operations;
  GrowingArray<int64_t> correlations;  // one per operation, where all of the host is wanted
  // One per operation, where details are wanted.
  GrowingArray<uint32_t> details, detail_correlations;
  /// Of operations by their number in the block, where they are wanted.
  std::vector<CollectiveOperation> collectives;
  GrowingArray<Launch> launches;
  GrowingArray<HostRange> ranges;
  GrowingArray<OpCall> ops, frames;
  std::vector<DroppedRecords> dropped;
  bool made_up_streams = false;  // of some operations: see TraceBuilder::made_up_streams

  // What the parser met first in this block.
  std::vector<OperationName> new_names;
  std::vector<Track> new_tracks;
  std::vector<HostCall> new_calls;
  std::vector<HostThread> new_threads;
  struct NewRangeName {
    std::string name;
    RangeText text;
  };
  std::vector<NewRangeName> new_range_names;
  std::vector<OperationDetail> new_details;
  std::vector<CollectiveCall> new_collective_calls;
  struct NewOp {
    std::string key;
    HostOp op;
  };
  std::vector<NewOp> new_ops;
  std::vector<std::string> new_frames;

  /// The numbers of its parser, for add_block alone.
  std::shared_ptr<TraceIds> ids;
  /// Owns the texts of `new_names`.
  std::shared_ptr<NameTable> names;

  void clear();
  void add_dropped(std::string_view what, uint64_t offset) {
    trace::add_dropped(dropped, what, offset, 1);
  }
};

/// The numbers of one parser.
class LocalIds {
 public:
  /// `out` is emptied, and what is new listed in it from now on. True where all numbers were
  /// forgotten, because there are many: numbers of earlier blocks do not count any more.
  bool begin(BlockRows& out);

  NameId name(std::string_view text, OperationKind kind);
  /// Its kind is what the name says. For parsers that know of no kinds.
  NameId name(std::string_view text);
  TrackId track(int32_t device, int64_t stream, std::string_view device_name = {},
                std::string_view member = {});
  uint32_t call(std::string_view name, bool driver, std::string_view version = {},
                std::string_view kernel = {});
  uint32_t thread(std::string_view process, std::string_view thread, bool whole_process = false);
  uint32_t range_name(std::string_view name, const RangeText& text = {});
  uint32_t frame(std::string_view name);
  uint32_t detail(const OperationDetail& detail);
  uint32_t collective_call(const CollectiveCall& call);
  /// `key` identifies it; `make` returns it if it is new.
  template <class Make>
  uint32_t op(std::string_view key, const Make& make) {
    const size_t known = ops_.size();
    const uint32_t number = ops_.add(key);
    if (number == known) {
      bytes_ += key.size();
      out_->new_ops.push_back({std::string(key), make()});
    }
    return number;
  }

 private:
  static constexpr size_t bytes_limit = size_t{4} << 20;

  BlockRows* out_ = nullptr;
  std::shared_ptr<TraceIds> ids_;
  std::shared_ptr<NameTable> names_;
  std::map<Track, TrackId> tracks_;
  DistinctTexts calls_, threads_, ops_, frames_;
  DistinctRangeNames range_names_;
  DetailTable details_;
  std::map<CollectiveCall, uint32_t> collective_calls_;
  size_t bytes_ = 0;  // of texts
  std::string key_;
  struct SeenTrack {
    Track track;
    TrackId id;
  };
  std::array<SeenTrack, 64> seen_tracks_;  // by device and stream
};

/// The next block, in the order of the source, into a trace.
void add_block(const BlockRows& rows, TraceBuilder& out);

}  // namespace kr::trace
