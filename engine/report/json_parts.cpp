#include "report/json_parts.hpp"

namespace kr {

void write_device(JsonWriter& json, const DeviceSum& device) {
  json.open('{', true);
  json.key("device").number(device.device);
  if (!device.name.empty()) json.key("name").text(device.name);
  json.key("operations").number(device.operations);
  write_times(json, device);
  json.close('}');
}

void write_times(JsonWriter& json, const Breakdown& time) {
  json.key("span_ns").number(time.span_ns);
  json.key("busy_ns").number(time.busy_ns);
  json.key("compute_ns").number(time.compute_ns);
  json.key("communication_ns").number(time.communication_ns);
  json.key("exposed_communication_ns").number(time.exposed_communication_ns);
  json.key("memory_ns").number(time.memory_ns);
  json.key("exposed_memory_ns").number(time.exposed_memory_ns);
  json.key("idle_ns").number(time.idle_ns);
}

void write_rank(JsonWriter& json, const RunSummary& run, const RankNumber& number) {
  json.key("rank").number(number.rank);
  json.key("rank_from").text(to_string(number.from));
  if (run.distributed.world_size) json.key("world_size").number(*run.distributed.world_size);
  if (!run.distributed.backend.empty()) json.key("backend").text(run.distributed.backend);
}

void write_rank_balance(JsonWriter& json, const Ranks& ranks) {
  json.key("why_not");
  ranks.why_not.empty() ? json.null() : json.text(ranks.why_not);
  write_optional(json, "world_size", ranks.world_size);
  json.key("runs").open('[');
  for (const RankOfRun& run : ranks.runs) {
    json.open('{', true);
    json.key("rank").number(run.number.rank);
    json.key("rank_from").text(to_string(run.number.from));
    write_optional(json, "waiting_ns", run.waiting_ns);
    write_optional(json, "slowest_in_steps", run.slowest_steps);
    json.close('}');
  }
  json.close(']');
  json.key("balance").open('[');
  for (const Balance& one : ranks.balance) {
    const auto place = [&](std::string_view key, size_t at) {
      json.key(key).open('{');
      json.key("rank").number(ranks.runs[ranks.devices[at].run].number.rank);
      json.key("device").number(ranks.devices[at].device);
      json.close('}');
    };
    json.open('{', true);
    json.key("what").text(one.what);
    json.key("min_ns").number(one.min_ns);
    json.key("mean_ns").number(one.mean_ns);
    json.key("max_ns").number(one.max_ns);
    json.key("max_over_mean").number(one.max_over_mean);
    place("min", one.least);
    place("max", one.most);
    json.close('}');
  }
  json.close(']');
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
