// The names and stats of one plane of an XSpace, by the ids that its events have.
//
// A plane's metadata may follow its lines: it is read before them. A stat stands on an event or on
// the metadata of all events of a name; the event's wins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/id.hpp"
#include "trace/readers/id_memory.hpp"
#include "trace/readers/wire.hpp"

namespace kr::trace {

/// What kr reads of an event; the names are in xplane_tables.cpp.
enum class XStat : uint8_t {
  // Numbers.
  correlation,
  step_num,
  profile_start,
  allocation_bytes,
  bytes_allocated,
  // Texts.
  tf_op,
  name,
  hlo_op,
  hlo_module,
  hlo_category,
  kernel_details,
  memcpy_details,
  memset_details,
  device_type,
  allocator_name,
  count,
};
inline constexpr size_t xstat_count = static_cast<size_t>(XStat::count);
inline constexpr size_t xstat_numbers = static_cast<size_t>(XStat::tf_op);

/// As files write it.
std::string_view xstat_name(XStat stat) noexcept;
std::optional<XStat> xstat_named(std::string_view name) noexcept;

class XStats {
 public:
  static constexpr uint32_t no_text = UINT32_MAX;

  /// A number in XPlaneTables::text; no_text: there is none.
  uint32_t text(XStat stat) const noexcept {
    return texts_[static_cast<size_t>(stat) - xstat_numbers];
  }
  /// Of the first `xstat_numbers`.
  std::optional<int64_t> number(XStat stat) const noexcept {
    const auto at = static_cast<size_t>(stat);
    return (has_number_ >> at & 1) != 0 ? std::optional(numbers_[at]) : std::nullopt;
  }

 private:
  friend class XPlaneTables;
  /// Above all numbers of texts: places in the list of those that are not among them yet.
  static constexpr uint32_t first_new = uint32_t{1} << 31;

  XStats() { texts_.fill(no_text); }
  std::array<int64_t, xstat_numbers> numbers_;
  std::array<uint32_t, xstat_count - xstat_numbers> texts_;
  uint8_t has_number_ = 0;
  bool has_new_ = false;
};
static_assert(xstat_numbers <= 8);

/// What all events of a name have.
struct XEventName {
  std::string_view name;
  std::string_view display_name;
  XStats stats;
};

class XPlaneTables {
 public:
  XPlaneTables() = default;
  /// The bytes of the metadata, which live as long: maps from an id to a message each. Of several
  /// of an id the first counts. Throws WireFault.
  XPlaneTables(const std::vector<std::string_view>& events,
               const std::vector<std::string_view>& stats);

  static constexpr uint32_t none = UINT32_MAX;
  /// Its place below `size`; `none`: there is no such id.
  uint32_t find(int64_t id) const { return events_by_id_.find(id).index; }
  const XEventName& event(uint32_t place) const { return events_[place]; }
  size_t size() const noexcept { return events_.size(); }

  /// Those of a name; of `none`, no stats.
  const XStats& stats(uint32_t place = none) const {
    return place == none ? no_stats_ : events_[place].stats;
  }
  /// An XStat. A text that it spells out goes to `texts`, and counts once `take` has numbered it:
  /// so several threads may read. Throws WireFault.
  void read(std::string_view message, XStats& to, std::vector<std::string_view>& texts) const;
  void take(const std::vector<std::string_view>& texts, XStats& to);
  /// The short ones that `fields` of an event begins with, which are most. Returns what follows.
  std::string_view read_short_ones(std::string_view fields, XStats& to) const;

  std::string_view text(uint32_t number) const {
    return number == XStats::no_text ? std::string_view() : texts_.text(number);
  }

 private:
  /// What its id stands for.
  struct StatName {
    XStat stat = XStat::count;        // of those that kr reads
    uint32_t text = XStats::no_text;  // its name, to which other stats refer

    bool valid() const noexcept { return text != XStats::no_text; }
  };
  struct EventTag;

  bool read_short(std::string_view message, XStats& to) const;
  void set(XStat stat, uint32_t field, int64_t value, XStats& to) const;

  std::vector<XEventName> events_;
  IdMemory<Id<EventTag>> events_by_id_;
  IdMemory<StatName> stats_by_id_;
  DistinctTexts texts_;
  XStats no_stats_;
};

inline void XPlaneTables::set(XStat stat, uint32_t field, int64_t value, XStats& to) const {
  const auto at = static_cast<size_t>(stat);
  if (field == 7) {
    if (at < xstat_numbers) return;
    const StatName ref = stats_by_id_.find(value);
    if (ref.valid()) to.texts_[at - xstat_numbers] = ref.text;
  } else if (at < xstat_numbers && (field == 3 || field == 4)) {
    to.numbers_[at] = value;
    to.has_number_ |= static_cast<uint8_t>(1U << at);
  }
}

/// An id below 128, and a number. False: it is not one of these.
[[gnu::always_inline]] inline bool XPlaneTables::read_short(std::string_view message,
                                                            XStats& to) const {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(message[at]); };
  constexpr size_t head = 3;
  if (message.size() <= head || byte(0) != 1 << 3 || byte(1) >= 0x80) return false;
  const XStat stat = stats_by_id_.find(byte(1)).stat;
  if (stat == XStat::count) return true;
  if ((byte(2) & 7) != 0 || message.size() > head + 9) return false;
  uint64_t value = 0;
  for (size_t at = head; at < message.size(); ++at) {
    value |= uint64_t{byte(at) & 0x7fU} << 7 * (at - head);
    if ((byte(at) < 0x80) != (at + 1 == message.size())) return false;
  }
  set(stat, byte(2) >> 3, static_cast<int64_t>(value), to);
  return true;
}

// Inline: most of the time of reading a profile goes here.
inline std::string_view XPlaneTables::read_short_ones(std::string_view fields, XStats& to) const {
  constexpr char tag = 4 << 3 | 2;
  while (fields.size() >= 2 && fields[0] == tag) {
    const size_t size = static_cast<unsigned char>(fields[1]);
    if (size >= 0x80 || size > fields.size() - 2 || !read_short(fields.substr(2, size), to)) break;
    fields.remove_prefix(2 + size);
  }
  return fields;
}

/// Bytes that are not the message that they should be. `at` is in them.
struct WireFault {
  const char* at;
  const char* what;  // `XStat`
};

/// The fields of a message: the loop body gets them. Throws WireFault.
template <class Visit>
void each_field(std::string_view message, const char* what, const Visit& visit) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) visit(field);
  if (reader.broken()) throw WireFault{message.data(), what};
}
inline std::string_view bytes_of(const WireField& field, std::string_view message,
                                 const char* what) {
  if (field.type != WireField::Type::bytes) throw WireFault{message.data(), what};
  return field.bytes;
}
inline int64_t number_of(const WireField& field, std::string_view message, const char* what) {
  if (field.type != WireField::Type::varint) throw WireFault{message.data(), what};
  return field.integer();
}

}  // namespace kr::trace
