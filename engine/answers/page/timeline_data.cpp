#include <algorithm>

#include "page/page_data.hpp"
#include "page/pages.hpp"

namespace kr::page {
namespace {

/// Of all runs, before base64 makes four letters of three bytes.
constexpr size_t max_timeline_bytes = 2'250'000;

void write_bins(JsonWriter& json, std::string_view key, const timeline::Bins& bins, size_t lanes) {
  json.key(key).open('{');
  json.key("width_ns").number(bins.width_ns);
  json.key("bins").text(base64(timeline::packed_bins(bins, lanes)));
  json.close('}');
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? letters[three >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

timeline::Limits timeline_limits(size_t runs) {
  return {.bytes = max_timeline_bytes / std::max<size_t>(runs, 1)};
}

void write_timelines(JsonWriter& json, std::span<const timeline::Timeline> timelines) {
  json.key("timelines").open('[');
  for (const timeline::Timeline& one : timelines) {
    json.open('{', true);
    json.key("span_ns").number(one.span_ns);
    json.key("lanes").open('[');
    for (const timeline::Lane& lane : one.lanes) {
      json.open('[');
      json.number(lane.device);
      json.number(lane.stream);
      json.close(']');
    }
    json.close(']');
    json.key("omitted_lanes").number(one.omitted_lanes);
    json.key("exact").number(one.is_exact ? 1 : 0);
    json.key("operations").text(base64(timeline::packed_operations(one)));
    write_bins(json, "names", one.by_name, one.lanes.size());
    write_bins(json, "labels", one.by_labels, one.lanes.size());
    json.key("label_dimensions").open('[');
    for (const std::string& dimension : one.label_dimensions) json.text(dimension);
    json.close(']');
    json.key("phases").open('[');
    for (const std::string& phase : one.phases) json.text(phase);
    json.close(']');
    json.key("bands").text(base64(timeline::packed_bands(one)));
    json.close('}');
  }
  json.close(']');
}

}  // namespace kr::page
