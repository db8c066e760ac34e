// Blocks of CUPTI activity, in the order of the files and of each of them, into a trace: the
// numbers that parsers gave become the trace's, and a unit that no header tells is settled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/readers/cupti_rows.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class CuptiMerge {
 public:
  CuptiMerge(TraceBuilder& out, bool host_side);

  /// Rows of another file follow. `shown` stands in what is said of it; `loss_prefix` before the
  /// losses in it.
  void file(std::string shown, std::string loss_prefix, const CuptiLayout& layout);
  /// What parser number `parser` found in the next block. Throws Error where a row is at fault.
  void add(const CuptiRows& rows, size_t parser);
  /// That parser has forgotten its numbers.
  void restart(size_t parser);
  /// After the last file: says what unit was taken.
  void finish();

  uint64_t rows() const noexcept { return rows_; }

 private:
  struct Numbers {
    std::vector<NameId> names;
    std::vector<TrackId> tracks;
    std::vector<uint32_t> calls, threads;
  };
  /// Records [begin, end) of the trace that were read as whole numbers.
  using Stretches = std::vector<std::pair<size_t, size_t>>;

  void settle(const CuptiRows& rows);
  void microseconds_from_now_on(const CuptiRows::Fraction& fraction);
  void scale_launches();
  void add_operations(const CuptiRows& rows, const Numbers& numbers, int64_t whole_factor);
  void add_launches(const CuptiRows& rows, const Numbers& numbers, int64_t whole_factor);
  uint32_t call(std::string_view name);
  uint32_t thread(const HostThread& thread);

  TraceBuilder* out_;
  HostSide* host_ = nullptr;
  std::vector<Numbers> parsers_;
  std::unordered_map<std::string, uint32_t> calls_, threads_;
  std::string key_;

  // Of the file being read.
  std::string shown_, loss_prefix_;
  bool unit_told_ = true;
  bool driver_ = false;

  uint64_t rows_ = 0;
  uint64_t untold_rows_ = 0;  // of files without a unit
  std::string fraction_;      // where the first of them stands; empty: there is none
  std::optional<Error> too_large_;
  Stretches whole_operations_, whole_launches_;
};

}  // namespace kr::trace
