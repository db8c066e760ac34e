#include "trace/readers/proton_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/ascii.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/msgpack_pull.hpp"

namespace kr::trace {
namespace {

// Members of a node.
constexpr uint32_t frame_bit = 1, metrics_bit = 2, tree_children_bit = 4;

// Metrics that are read; each bit is of one meaning, however it is spelled.
constexpr uint32_t time_metric = 1, count_metric = 2, id_metric = 4, type_metric = 8,
                   bytes_metric = 16, flops_metric = 32;  // and the widths above it

// Names of metrics that are distinguished; more are counted together.
constexpr size_t max_metric_names = 1000;
constexpr std::string_view further_metrics = "further metrics";

constexpr std::string_view unknown_amounts =
    "values of `bytes` or `flops` that are negative or no number: unknown instead";
constexpr std::string_view wrong_times =
    "times that are negative or too large: the node itself has no time";
constexpr std::string_view counted_flops =
    "values of `flops` beside FLOPs of a width, which count instead";

// Without case and `_`: Proton wrote `Time (ns)`, `Count`, `DeviceId` until 2024.
std::string plain_key(std::string_view key) {
  std::string plain;
  for (const char c : key) {
    if (c != '_') plain += lower(c);
  }
  return plain;
}

ProtonMetricName metric_named(std::string_view key) {
  // The viewer of Proton takes the unit from the parentheses.
  constexpr std::array<std::pair<std::string_view, int>, 4> times{
      {{"time (ns)", 0}, {"time (us)", 3}, {"time (ms)", 6}, {"time (s)", 9}}};
  constexpr std::array<std::string_view, flop_widths> widths{"flops", "flops8", "flops16",
                                                             "flops32", "flops64"};
  const std::string plain = plain_key(key);
  for (const auto& [time, exponent] : times) {
    if (plain == time) return {.bit = time_metric, .exponent = exponent};
  }
  if (plain == "count") return {.bit = count_metric};
  if (plain == "deviceid") return {.bit = id_metric};
  if (plain == "devicetype") return {.bit = type_metric};
  if (plain == "bytes") return {.bit = bytes_metric};
  for (const FlopWidth width : all_flop_widths) {
    const auto at = static_cast<size_t>(width);
    if (plain == widths[at]) return {.bit = flops_metric << at, .width = width};
  }
  return {};
}

/// A number that is whole and not negative, as many writers have it.
std::optional<int64_t> plain_whole(std::string_view number) {
  int64_t value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, fault] = std::from_chars(number.data(), end, value);
  return fault == std::errc{} && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The number that the cursor is on, if it needs no text to be one. Else nothing is taken.
template <class Pull>
std::optional<int64_t> whole_at_once(Pull& values) {
  if constexpr (std::is_same_v<Pull, MsgpackPull>) return values.whole();
  return std::nullopt;
}

template <class Pull>
std::optional<double> real_at_once(Pull& values) {
  if constexpr (std::is_same_v<Pull, MsgpackPull>) return values.real();
  return std::nullopt;
}

bool is_not_finite(std::string_view number) {
  return number.back() == 'N' || number.back() == 'y';
}

}  // namespace

template <class Pull>
int64_t read_whole(Pull& values) {
  values.expect(JsonKind::number);
  if (const auto whole = whole_at_once(values)) return *whole;
  const std::string_view number = values.number();
  if (const auto whole = plain_whole(number)) return *whole;
  if (is_not_finite(number)) throw values.error(fmt::format("is {}, which is not a count", number));
  int64_t count = 0;
  switch (read_json_number(number, 0, count)) {
    case DecimalFault::none:
      break;
    case DecimalFault::negative:
      throw values.error(fmt::format("is negative: {}", shown_text(number)));
    default:
      throw values.error(fmt::format("does not fit in 64 bits: {}", shown_text(number)));
  }
  int64_t thousandths = 0;
  const bool small = read_json_number(number, 3, thousandths) == DecimalFault::none;
  if (small && thousandths != count * 1000) {
    throw values.error(fmt::format("is not a whole number: {}", shown_text(number)));
  }
  return count;
}

template <class Pull>
void ProtonNodes<Pull>::read(uint64_t offset) {
  begin_node(offset);
  bool in_list = false;
  bool at_member = true;
  while (true) {
    if (!in_list) {
      // In a node, before a member or behind its children.
      in_list = find_children(std::exchange(at_member, false));
      if (in_list) continue;
      end_node();
      if (!tree_->is_inside()) return;
      in_list = true;
    } else if (values_->next()) {
      values_->expect(JsonKind::object);
      begin_node(values_->offset());
      values_->enter();
      in_list = false;
    } else {
      in_list = false;
    }
  }
}

template <class Pull>
void ProtonNodes<Pull>::begin_node(uint64_t offset) {
  tree_->begin_node(offset);
  seen_.emplace_back();
}

// True: the cursor is in a list of children. False: it is behind the node.
template <class Pull>
bool ProtonNodes<Pull>::find_children(bool at_member) {
  SeenKeys& seen = seen_.back();
  while (std::exchange(at_member, false) || values_->next()) {
    const std::string_view key = values_->key();
    if (key == "frame") {
      once(seen.add(frame_bit));
      read_frame();
    } else if (key == "metrics") {
      once(seen.add(metrics_bit));
      read_metrics();
    } else if (key == "children") {
      once(seen.add(tree_children_bit));
      if (is_absent()) continue;
      values_->expect(JsonKind::array);
      values_->enter();
      return true;
    } else {
      once(seen.add(key));
      values_->pass();
    }
  }
  return false;
}

template <class Pull>
void ProtonNodes<Pull>::end_node() {
  seen_.pop_back();
  if (!tree_->end_node()) throw values_->error("has no `frame`");
}

template <class Pull>
void ProtonNodes<Pull>::read_frame() {
  values_->expect(JsonKind::object);
  values_->enter();
  constexpr uint32_t name_bit_of_frame = 1;
  constexpr uint32_t type_bit_of_frame = 2;
  SeenKeys seen;
  while (values_->next()) {
    const bool is_name = values_->key() == "name";
    const bool is_type = values_->key() == "type";
    once(is_name   ? seen.add(name_bit_of_frame)
         : is_type ? seen.add(type_bit_of_frame)
                   : seen.add(values_->key()));
    if (!is_name) {
      values_->pass();
      continue;
    }
    values_->expect(JsonKind::string);
    tree_->name(values_->string());
  }
  if (!seen.has(name_bit_of_frame)) throw values_->error("has no `name`");
}

template <class Pull>
ProtonMetricName ProtonNodes<Pull>::metric_of(std::string_view key) {
  constexpr size_t max_kept = 32;
  for (size_t i = 0; i < metrics_.size(); ++i) {
    size_t at = next_metric_ + i;
    if (at >= metrics_.size()) at -= metrics_.size();
    if (metrics_[at].first != key) continue;
    next_metric_ = at + 1 == metrics_.size() ? 0 : at + 1;
    return metrics_[at].second;
  }
  const ProtonMetricName found = metric_named(key);
  if (metrics_.size() < max_kept) metrics_.emplace_back(key, found);
  return found;
}

template <class Pull>
void ProtonNodes<Pull>::read_metrics() {
  if (is_absent()) return;
  values_->expect(JsonKind::object);
  const uint64_t offset = values_->offset();
  values_->enter();
  ProtonMetrics read;
  SeenKeys seen;
  while (values_->next()) {
    const ProtonMetricName metric = metric_of(values_->key());
    if (metric.bit != 0) {
      once(seen.add(metric.bit));
      const auto of_width = static_cast<size_t>(metric.width);
      if (is_absent()) continue;
      if (metric.bit == time_metric) {
        read.ns = time(metric.exponent);
        found_->times = true;
      } else if (metric.bit == count_metric) {
        read.calls = read_whole(*values_);
      } else if (metric.bit == id_metric) {
        read.device_id = text();
      } else if (metric.bit == type_metric) {
        read.device_type = text();
      } else if (metric.bit == bytes_metric) {
        read.cost.bytes = bytes();
      } else {
        read.cost.flops[of_width] = flops();
      }
      continue;
    }
    const std::string key(values_->key());
    once(seen.add(key));
    values_->pass();
    auto& unread = found_->unread;
    const bool full = unread.size() >= max_metric_names && !unread.contains(key);
    ++unread[full ? std::string(further_metrics) : key];
  }
  std::optional<double>& any = read.cost.flops[static_cast<size_t>(FlopWidth::any)];
  if (any && std::count_if(read.cost.flops.begin(), read.cost.flops.end(),
                           [](const auto& one) { return one.has_value(); }) > 1) {
    any.reset();
    out_->add_dropped(counted_flops, offset);
  }
  tree_->metrics(std::move(read));
}

// Amounts are the user's: where one is not an amount, the times are still right.
template <class Pull>
bool ProtonNodes<Pull>::is_usable(std::string_view number) {
  if (!is_not_finite(number) && number.front() != '-') return true;
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  if (value == 0 && !is_not_finite(number)) return true;
  out_->add_dropped(unknown_amounts, values_->offset());
  return false;
}

template <class Pull>
std::optional<double> ProtonNodes<Pull>::flops() {
  values_->expect(JsonKind::number);
  if (const auto real = real_at_once(*values_)) return real;
  const std::string_view number = values_->number();
  if (!is_usable(number)) return std::nullopt;
  double value = 0;
  const auto [stop, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  int64_t whole = 0;
  const bool too_small = fault == std::errc::result_out_of_range &&
                         read_json_number(number, 0, whole) != DecimalFault::too_large;
  if (too_small) return 0;
  if (fault != std::errc{}) {
    throw values_->error(fmt::format("is too large: {}", shown_text(number)));
  }
  return std::fabs(value);
}

template <class Pull>
std::optional<int64_t> ProtonNodes<Pull>::bytes() {
  values_->expect(JsonKind::number);
  if (const auto whole = whole_at_once(*values_)) return whole;
  const std::string_view number = values_->number();
  if (!is_usable(number)) return std::nullopt;
  if (const auto whole = plain_whole(number)) return *whole;
  int64_t value = 0;
  if (read_json_number(number, 0, value) == DecimalFault::too_large) {
    throw values_->error(fmt::format("does not fit in 64 bits: {}", shown_text(number)));
  }
  return value;
}

template <class Pull>
int64_t ProtonNodes<Pull>::time(int exponent) {
  values_->expect(JsonKind::number);
  if (exponent == 0) {
    if (const auto whole = whole_at_once(*values_)) return *whole;
  }
  const std::string_view number = values_->number();
  if (const auto whole = plain_whole(number); whole && exponent == 0) return *whole;
  if (is_not_finite(number)) {
    throw values_->error(fmt::format("is {}, which is not a time", number));
  }
  int64_t ns = 0;
  const DecimalFault fault = read_json_number(number, exponent, ns);
  if (!strict_ && fault != DecimalFault::none) {
    out_->add_dropped(wrong_times, values_->offset());
    return 0;
  }
  switch (fault) {
    case DecimalFault::none:
      return ns;
    case DecimalFault::negative:
      throw values_->error(fmt::format("is negative: {}", shown_text(number)));
    default:
      throw values_->error(
          fmt::format("does not fit in 64 bits of nanoseconds: {}", shown_text(number)));
  }
}

// Ids are texts, in some files numbers.
template <class Pull>
std::string ProtonNodes<Pull>::text() {
  if (values_->value() == JsonKind::number) return std::string(values_->number());
  values_->expect(JsonKind::string);
  return std::string(values_->string());
}

template <class Pull>
bool ProtonNodes<Pull>::is_absent() {
  if (values_->value() != JsonKind::null) return false;
  values_->skip();
  return true;
}

template <class Pull>
void ProtonNodes<Pull>::once(bool is_new) const {
  if (!is_new) throw values_->error("occurs twice");
}

template int64_t read_whole(JsonPull& values);
template int64_t read_whole(MsgpackPull& values);
template class ProtonNodes<JsonPull>;
template class ProtonNodes<MsgpackPull>;

}  // namespace kr::trace
