// Parts that several JSON outputs write alike.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyze/ranks.hpp"
#include "analyze/summary.hpp"
#include "base/json_writer.hpp"

namespace kr {

/// The members from `span_ns` to `idle_ns`.
void write_times(JsonWriter& json, const Breakdown& time);
void write_device(JsonWriter& json, const DeviceSum& device);
/// The members `rank`, `rank_from`, and where the trace tells them `world_size` and `backend`.
void write_rank(JsonWriter& json, const RunSummary& run, const RankNumber& number);
/// The members of `ranks` that need no statistics: from `why_not` to `balance`.
void write_rank_balance(JsonWriter& json, const Ranks& ranks);
/// The member `losses`.
void write_losses(JsonWriter& json, const std::vector<Loss>& losses);
/// A member, null where there is no number.
void write_optional(JsonWriter& json, std::string_view key, const std::optional<int64_t>& number);

}  // namespace kr
