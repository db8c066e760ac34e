#include "trace/readers/nsys_json_metrics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_read.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

constexpr std::array metrics_of_every_gpu{"GR Active"sv, "SM Active"sv, "SMs Active"sv,
                                          "GPC Clock Frequency"sv};

bool has_gpu_metrics(const JsonValue& data) {
  return std::any_of(data.members.begin(), data.members.end(), [](const JsonMember& member) {
    return std::any_of(metrics_of_every_gpu.begin(), metrics_of_every_gpu.end(),
                       [&](std::string_view name) { return member.key.starts_with(name); });
  });
}

/// The object of a row; nullopt: it is not one.
std::optional<JsonValue> object_of(const sqlite::Statement& rows, int column) {
  if (rows.type(column) != sqlite::Statement::Type::text) return std::nullopt;
  try {
    JsonValue data = parse_json(rows.text(column), {});
    if (data.kind == JsonValue::Kind::object) return data;
  } catch (const Error&) {
    // Counted by the caller.
  }
  return std::nullopt;
}

bool is_number(const JsonValue& value) {
  return value.kind == JsonValue::Kind::integer || value.kind == JsonValue::Kind::number;
}

}  // namespace

bool read_json_metrics(const SqliteTables& schema, TraceBuilder& out, const AddMetricSample& add) {
  bool whole = true;
  enum Column { at, type, data };
  auto found = schema.rows(
      {"GENERIC_EVENTS", {ScanColumn::first_of({"timestamp", "rawTimestamp"}), "typeId", "data"}});
  if (!found) return whole;
  sqlite::Statement& rows = *found;
  std::unordered_map<int64_t, bool, NumberHash> is_metric;  // by type
  uint64_t number = 0;
  while (rows.step(&whole)) {
    ++number;
    const auto type_id = rows.whole_number(type);
    if (!type_id) continue;
    const auto known = is_metric.find(*type_id);
    if (known != is_metric.end() && !known->second) continue;
    const std::optional<JsonValue> values = object_of(rows, data);
    if (known == is_metric.end()) {
      if (rows.is_null(data)) continue;
      if (!is_metric.emplace(*type_id, values && has_gpu_metrics(*values)).first->second) continue;
    }
    const auto time_ns = rows.whole_number(at);
    if (!values || !time_ns) {
      out.add_dropped("GPU metrics of 2021 without a time or a JSON object", number);
      continue;
    }
    for (const JsonMember& member : values->members) {
      if (is_number(member.value) && member.value.number >= 0) {
        add(*type_id, member.key, {*time_ns, member.value.number});
      } else {
        out.add_dropped("GPU metric of 2021 whose value is not a positive number", number);
      }
    }
  }
  return whole;
}

}  // namespace kr::trace
