// Parts that several JSON outputs write alike.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyze/summary.hpp"
#include "base/json_writer.hpp"

namespace kr {

void write_device(JsonWriter& json, const DeviceSum& device);
/// The member `losses`.
void write_losses(JsonWriter& json, const std::vector<Loss>& losses);
/// A member, null where there is no number.
void write_optional(JsonWriter& json, std::string_view key, const std::optional<int64_t>& number);

}  // namespace kr
