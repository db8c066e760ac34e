// Expert parallelism: dispatches of tokens to the devices of their experts, with the combines that
// bring the results back, and what a device does between them.
//
// The dimension `exchange` of the rules says what an operation is. In order of launch, a combine
// belongs to the first dispatch before it, of its process group, that has none. So the k-th
// belongs to the k-th, with several micro-batches in flight, too; what a trace has cut off at its
// begin shifts nothing. Where the launches of both are in steps, these are the same: what one step
// lost shifts no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/run.hpp"
#include "job/member.hpp"

namespace kr::job {

enum class Direction : uint8_t {
  none,
  dispatch,
  combine,
  preparation,
  unknown,  // an exchange, but the rules do not know which
};

/// The label of the dimension `exchange`, by row. Labels that std.exchange does not have are
/// `none`.
std::vector<Direction> directions_by_row(const sema::Program& program,
                                         const classify::Labelled& labelled);

/// `kinds`, `directions`: by row. Nullopt: the member, of this run, has no dispatch and no combine.
/// Reads the attribution of the run.
std::optional<MemberExchanges> measure_exchanges(const match::CompiledRules& rules,
                                                 const analyze::LabelledTrace& run,
                                                 const std::vector<analyze::Kind>& kinds,
                                                 const std::vector<Direction>& directions,
                                                 const Member& member);

/// Dispatches and combines of a run without their other half; nullopt: there are none.
std::optional<Warning> lone_exchanges(const std::vector<Member>& members);

}  // namespace kr::job
