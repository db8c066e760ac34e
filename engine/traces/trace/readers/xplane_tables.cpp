#include "trace/readers/xplane_tables.hpp"

#include <algorithm>
#include <utility>

namespace kr::trace {
namespace {

// In the order of XStat.
constexpr std::array<std::string_view, xstat_count> xstat_names{"correlation_id",
                                                                "step_num",
                                                                "profile_start_time",
                                                                "allocation_bytes",
                                                                "bytes_allocated",
                                                                "tf_op",
                                                                "name",
                                                                "hlo_op",
                                                                "hlo_module",
                                                                "hlo_category",
                                                                "kernel_details",
                                                                "memcpy_details",
                                                                "memset_details",
                                                                "device_type_string",
                                                                "allocator_name"};

/// Of a map: its id, and the message behind it.
std::pair<int64_t, std::string_view> entry_of(std::string_view entry, const char* what) {
  std::pair<int64_t, std::string_view> out{0, {}};
  each_field(entry, what, [&](const WireField& field) {
    if (field.number == 1) out.first = number_of(field, entry, what);
    if (field.number == 2) out.second = bytes_of(field, entry, what);
  });
  return out;
}

}  // namespace

std::string_view xstat_name(XStat stat) noexcept {
  return xstat_names[static_cast<size_t>(stat)];
}
std::optional<XStat> xstat_named(std::string_view name) noexcept {
  const auto at = std::ranges::find(xstat_names, name);
  if (at == xstat_names.end()) return std::nullopt;
  return static_cast<XStat>(at - xstat_names.begin());
}

XPlaneTables::XPlaneTables(const std::vector<std::string_view>& events,
                           const std::vector<std::string_view>& stats) {
  constexpr const char* stat_metadata = "XStatMetadata";
  constexpr const char* event_metadata = "XEventMetadata";
  for (const std::string_view entry : stats) {
    const auto [id, message] = entry_of(entry, stat_metadata);
    std::string_view name;
    each_field(message, stat_metadata, [&, in = message](const WireField& field) {
      if (field.number == 2) name = bytes_of(field, in, stat_metadata);
    });
    if (stats_by_id_.find(id).valid()) continue;
    stats_by_id_.add(id, {xstat_named(name).value_or(XStat::count), texts_.add(name)});
  }
  std::vector<std::string_view> texts;
  for (const std::string_view entry : events) {
    const auto [id, message] = entry_of(entry, event_metadata);
    XEventName one{{}, {}, {}};
    each_field(message, event_metadata, [&, in = message](const WireField& field) {
      if (field.number == 2) one.name = bytes_of(field, in, event_metadata);
      if (field.number == 4) one.display_name = bytes_of(field, in, event_metadata);
      if (field.number == 5) read(bytes_of(field, in, event_metadata), one.stats, texts);
    });
    take(texts, one.stats);
    texts.clear();
    if (events_by_id_.find(id).valid()) continue;
    events_by_id_.add(id, {static_cast<uint32_t>(events_.size())});
    events_.push_back(one);
  }
}

void XPlaneTables::read(std::string_view message, XStats& to,
                        std::vector<std::string_view>& texts) const {
  constexpr const char* what = "XStat";
  if (read_short(message, to)) return;
  WireReader reader(message);
  std::optional<XStat> stat;
  for (WireField field; reader.next(field);) {
    if (field.number == 1) {
      stat = stats_by_id_.find(number_of(field, message, what)).stat;
      if (stat == XStat::count) return;
    } else if (!stat) {
      continue;  // the id comes first
    } else if (field.number == 3 || field.number == 4 || field.number == 7) {
      set(*stat, field.number, number_of(field, message, what), to);
    } else if (field.number == 5) {
      const std::string_view text = bytes_of(field, message, what);
      const auto at = static_cast<size_t>(*stat);
      if (at < xstat_numbers) continue;
      to.texts_[at - xstat_numbers] = XStats::first_new + static_cast<uint32_t>(texts.size());
      to.has_new_ = true;
      texts.push_back(text);
    }
  }
  if (reader.broken()) throw WireFault{message.data(), what};
}

void XPlaneTables::take(const std::vector<std::string_view>& texts, XStats& to) {
  if (!to.has_new_) return;
  for (uint32_t& text : to.texts_) {
    if (text >= XStats::first_new && text != XStats::no_text) {
      text = texts_.add(texts[text - XStats::first_new]);
    }
  }
  to.has_new_ = false;
}

}  // namespace kr::trace
