// What of a source belongs to the traces that its traces were reduced to (trace/reduce.hpp): for
// readers that write a part of it.
//
// Operations, calls and ranges are known by their content, so nothing has to say in which order a
// source was read. Memory: some 16 bytes for each that belongs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/operation_kind.hpp"
#include "trace/reduce.hpp"

namespace kr::trace {

class CutPlan {
 public:
  /// Whether names are a part of the content of operations and ranges: where comparing them costs
  /// nothing.
  enum class Names : bool { ignored, compared };

  /// The traces have host traces, if their format has.
  CutPlan(std::span<const Trace* const> reduced, Names names);

  struct Work {
    std::string_view member;  // of a merged trace
    std::string_view name;
    OperationKind kind;
    int32_t device;  // 0 if names are ignored
    int64_t stream;
    int64_t start_ns;  // with `duration_ns` below 0: it has no time
    int64_t duration_ns;
    std::optional<int64_t> correlation;
  };
  struct Call {
    std::string_view member, process, thread;
    int64_t start_ns, duration_ns;
    int64_t correlation;  // or Launch::no_correlation
  };
  struct Range {
    std::string_view member, process, thread;
    int64_t start_ns, end_ns;
    std::string_view name;  // empty: it is a module, or names are ignored
  };
  bool has(const Work& one) const;
  bool has(const Call& one) const;
  bool has(const Range& one) const;
  /// Whether a call with this correlation launched an operation that belongs.
  bool launches(std::string_view member, int64_t correlation) const;
  /// Whether anything that belongs may overlap this time, of any member.
  bool any_between(int64_t start_ns, int64_t end_ns) const;
  /// From the first start to the last end of what belongs; nothing if some of it has no time.
  std::optional<WorkTime> whole_time() const;
  /// Whether it overlaps the work time of what belongs.
  bool overlaps(std::string_view member, int64_t start_ns, int64_t end_ns) const;

 private:
  /// Hashes, some of them 0.
  class Keys {
   public:
    void add(uint64_t key) { sorted_.push_back(key); }
    void finish();
    bool has(uint64_t key) const noexcept;

   private:
    std::vector<uint64_t> sorted_;
    std::vector<uint64_t> slots_;  // a table with open addresses; 0: free
    bool zero_ = false;
  };

  void add(const Trace& trace);
  void join_times();
  uint64_t key_of(const Work& one, std::optional<int64_t> correlation, bool timed) const;
  static uint64_t key_of(const Call& one);
  uint64_t key_of(const Range& one) const;

  bool names_;
  std::map<std::string, WorkTime, std::less<>> members_;
  Keys operations_, untimed_, calls_, ranges_, correlations_;
  bool any_untimed_ = false;
  std::vector<WorkTime> times_;  // in which something belongs; rising, none overlaps another
};

}  // namespace kr::trace
