// References: traces that tell in which modules and ops kernels are launched. Of a capture, the
// calls between the begin and the end of it on their thread, where they name their kernels; of
// launches outside graphs, the kernels that ran. A reference is kept as sequences of these, without
// its trace. Captures of the pieces of one pass, with what ran between them, are one more sequence:
// another run may have captured the pass as one graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "align/aligner.hpp"
#include "base/distinct_texts.hpp"
#include "base/operation_kind.hpp"
#include "trace/trace.hpp"

namespace kr::align {

/// A kernel's name without what changes with the shapes it was compiled for: template arguments,
/// parameters, tiles and digits. `Cijk_…_MT128x64x64_…` ends before its tile.
std::string family_of(std::string_view name);

/// Where a sequence is from.
struct Origin {
  uint32_t file = 0;  // in References::files
  std::string thread;
  bool captured = false;
  bool joined = false;         // of several captures: only for graphs that no other is like
  std::vector<int64_t> times;  // by item, on the clock of its file
  /// By item, the innermost op around it, in References::op_calls, or References::no_op; or
  /// `unsure`: captures of equal names differ in their shapes. Empty: it is no capture, or it was
  /// read without ops. A graph has the shapes of its capture; what ran without a graph may have
  /// had others.
  std::vector<uint32_t> ops;
};

class References {
 public:
  /// What a file is called in results, and its sequences. The trace has a host trace, read with
  /// OpenOptions::reference. Several traces of one file are added one by one.
  void add(const trace::Trace& trace);

  bool empty() const noexcept { return sequences.empty(); }

  /// The number of a kernel, copy or set by its name. Copies and sets are each one name: calls that
  /// were captured do not tell more.
  uint32_t name(std::string_view text, OperationKind kind);
  /// The number of a name's family.
  uint32_t family(uint32_t name);
  std::string_view ops(uint32_t chain) const { return chains_.text(chain); }

  /// A call of an op around captured launches.
  struct OpCall {
    uint32_t op;     // in `ops_of_calls`
    uint32_t outer;  // the call around it, or no_op
    uint32_t chain;  // equal for calls of equal ops with equal arguments, from the outermost on
  };
  static constexpr uint32_t no_op = UINT32_MAX;
  static constexpr uint32_t unsure = Sequence::unsure;

  struct Time {
    int64_t start_ns;
    int64_t end_ns;
  };
  std::vector<std::string> files;
  std::vector<Sequence> sequences;
  std::vector<Sequence> by_family;  // the same sequences, with names of families
  std::vector<Origin> origins;      // by sequence
  Calls calls;
  std::vector<Time> call_times;  // by call
  /// The sequences of the captures of each thread, in order. Equal ones are one sequence.
  std::vector<std::vector<uint32_t>> captures;
  uint64_t unnamed = 0;  // captured launches that name no kernel
  std::vector<trace::HostOp> ops_of_calls;
  std::vector<OpCall> op_calls;

 private:
  friend class ReferenceReader;
  uint32_t add_sequence(Sequence sequence, Origin origin);
  void merge_ops(uint32_t known, Origin other);
  /// As Sequence::ops has it.
  uint32_t ops_number(uint32_t op) const {
    return op == no_op || op == unsure ? op : op_calls[op].chain;
  }

  DistinctTexts names_, families_, chains_;
  std::vector<uint32_t> family_of_;          // by name; Calls::none: not yet
  std::multimap<uint64_t, uint32_t> known_;  // sequences by hash
  std::map<std::pair<std::string, OpArguments>, uint32_t> op_numbers_;  // in `ops_of_calls`
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> op_chains_;         // outer chain and op
};

}  // namespace kr::align
