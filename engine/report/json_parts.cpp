#include "report/json_parts.hpp"

namespace kr {

void write_device(JsonWriter& json, const DeviceSum& device) {
  json.open('{', true);
  json.key("device").number(device.device);
  if (!device.name.empty()) json.key("name").text(device.name);
  json.key("operations").number(device.operations);
  json.key("span_ns").number(device.span_ns);
  json.key("busy_ns").number(device.busy_ns);
  json.key("compute_ns").number(device.compute_ns);
  json.key("communication_ns").number(device.communication_ns);
  json.key("exposed_communication_ns").number(device.exposed_communication_ns);
  json.key("memory_ns").number(device.memory_ns);
  json.key("exposed_memory_ns").number(device.exposed_memory_ns);
  json.key("idle_ns").number(device.idle_ns);
  json.close('}');
}

void write_losses(JsonWriter& json, const std::vector<Loss>& losses) {
  json.key("losses").open('[');
  for (const Loss& loss : losses) {
    json.open('{');
    json.key("what").text(loss.what);
    json.key("count").number(loss.count);
    json.key("first_offset").number(loss.first_offset);
    json.close('}');
  }
  json.close(']');
}

void write_optional(JsonWriter& json, std::string_view key, const std::optional<int64_t>& number) {
  json.key(key);
  if (number) {
    json.number(*number);
  } else {
    json.null();
  }
}

}  // namespace kr
