// Which process of a job a text names: the path of a trace, or a process in a merged trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/trace.hpp"

namespace kr::trace {

/// Of a member of a merged trace: `TP01-DP00`.
RankPlace place_of_member(std::string_view member);
/// The numbers after `dp`, `ep`, `pp` and `tp` in a path that names a rank as well
/// (`dp0_pp0_tp1_dcp0_ep1_rank1`), or as SGLang writes them (`1711-TP-0.trace.json`). In others
/// (`llama_tp8.json`) they are mostly how many there were. Of one kind the last.
RankPlace place_in_path(std::string_view path);

/// The rank that a path names: the number after its last `rank` or `worker`, else that of a process
/// of Slurm (`report_Nnode7_12.sqlite`), else the only number of its place.
std::optional<int64_t> rank_in_path(std::string_view path);

/// The only number there is; nullopt: there are several, or none.
std::optional<int64_t> only_number(const RankPlace& place) noexcept;

/// A process as tools name it that merge the traces of several: SGLang writes `[TP01-DP00] 1234`.
/// Pids, devices and correlations of different members have nothing to do with each other.
struct MergedProcess {
  std::string_view member;   // `TP01-DP00`
  std::string_view process;  // `1234`
};
/// Nullopt: it is a process like any other. The brackets contain places, `rank 3`, or `process
/// 1234`, as readers write it of files with several processes whose ranks are not known.
std::optional<MergedProcess> merged_process(std::string_view process) noexcept;

}  // namespace kr::trace
