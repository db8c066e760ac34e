#include "trace/readers/proton_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/ascii.hpp"
#include "trace/readers/messages.hpp"

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

struct Metric {
  uint32_t bit = 0;  // 0: not known
  int exponent = 0;  // of a time: 10^exponent ns
  FlopWidth width = FlopWidth::any;
};

Metric metric_of(std::string_view key) {
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

bool is_not_finite(std::string_view number) {
  return number.back() == 'N' || number.back() == 'y';
}

void add_checked(int64_t& sum, int64_t one, const std::string& path, uint64_t offset,
                 const char* what) {
  if (!__builtin_add_overflow(sum, one, &sum)) return;
  throw Error(path, Error::Place{.line = {}, .offset = offset},
              fmt::format("the sum of {} does not fit in 64 bits", what), JsonPull::usual_remedy());
}

}  // namespace

int64_t read_whole(JsonPull& json) {
  json.expect(JsonKind::number);
  const std::string_view number = json.number();
  if (is_not_finite(number)) throw json.error(fmt::format("is {}, which is not a count", number));
  int64_t count = 0;
  switch (read_json_number(number, 0, count)) {
    case DecimalFault::none:
      break;
    case DecimalFault::negative:
      throw json.error(fmt::format("is negative: {}", shown_text(number)));
    default:
      throw json.error(fmt::format("does not fit in 64 bits: {}", shown_text(number)));
  }
  int64_t thousandths = 0;
  const bool small = read_json_number(number, 3, thousandths) == DecimalFault::none;
  if (small && thousandths != count * 1000) {
    throw json.error(fmt::format("is not a whole number: {}", shown_text(number)));
  }
  return count;
}

void ProtonTree::read(uint64_t offset) {
  begin_node(offset);
  bool in_list = false;
  bool at_member = true;
  while (true) {
    if (!in_list) {
      // In a node, before a member or behind its children.
      in_list = find_children(std::exchange(at_member, false));
      if (in_list) continue;
      end_node();
      if (open_.empty()) return;
      in_list = true;
    } else if (json_->next()) {
      json_->expect(JsonKind::object);
      begin_node(json_->offset());
      json_->enter();
      in_list = false;
    } else {
      in_list = false;
    }
  }
}

void ProtonTree::begin_node(uint64_t offset) {
  Node& node = nodes_.emplace_back();
  node.offset = offset;
  if (!open_.empty()) node.parent = open_.back().node;
  open_.push_back({static_cast<uint32_t>(nodes_.size() - 1), {}});
}

// True: the cursor is in a list of children. False: it is behind the node.
bool ProtonTree::find_children(bool at_member) {
  SeenKeys& seen = open_.back().seen;
  while (std::exchange(at_member, false) || json_->next()) {
    const std::string_view key = json_->key();
    if (key == "frame") {
      once(seen.add(frame_bit));
      read_frame();
    } else if (key == "metrics") {
      once(seen.add(metrics_bit));
      read_metrics();
    } else if (key == "children") {
      once(seen.add(tree_children_bit));
      if (is_absent()) continue;
      json_->expect(JsonKind::array);
      json_->enter();
      return true;
    } else {
      once(seen.add(key));
      json_->pass();
    }
  }
  return false;
}

void ProtonTree::end_node() {
  Node& node = nodes_[open_.back().node];
  if (node.name_at == no_name) throw json_->error("has no `frame`");
  node.end = static_cast<uint32_t>(nodes_.size());
  open_.pop_back();
}

void ProtonTree::read_frame() {
  json_->expect(JsonKind::object);
  json_->enter();
  constexpr uint32_t name_bit_of_frame = 1;
  SeenKeys seen;
  while (json_->next()) {
    const bool is_name = json_->key() == "name";
    once(is_name ? seen.add(name_bit_of_frame) : seen.add(json_->key()));
    if (!is_name) {
      json_->pass();
      continue;
    }
    json_->expect(JsonKind::string);
    const std::string_view name = json_->string();
    Node& node = nodes_[open_.back().node];
    node.name_at = names_.size();
    node.name_size = name.size();
    names_ += name;
  }
  if (!seen.has(name_bit_of_frame)) throw json_->error("has no `name`");
}

void ProtonTree::read_metrics() {
  if (is_absent()) return;
  json_->expect(JsonKind::object);
  const uint64_t offset = json_->offset();
  json_->enter();
  Node read;
  Work work;
  SeenKeys seen;
  while (json_->next()) {
    const std::string key(json_->key());
    const Metric metric = metric_of(key);
    if (metric.bit != 0) {
      once(seen.add(metric.bit));
      const auto of_width = static_cast<size_t>(metric.width);
      if (is_absent()) continue;
      if (metric.bit == time_metric) {
        read.own_ns = time(metric.exponent);
        has_times_ = true;
      } else if (metric.bit == count_metric) {
        read.own_calls = read_whole(*json_);
      } else if (metric.bit == id_metric) {
        work.device_id = text();
      } else if (metric.bit == type_metric) {
        work.device_type = text();
      } else if (metric.bit == bytes_metric) {
        work.cost.bytes = bytes();
      } else {
        work.cost.flops[of_width] = flops();
      }
      continue;
    }
    once(seen.add(key));
    json_->pass();
    const bool full = unread_.size() >= max_metric_names && !unread_.contains(key);
    ++unread_[full ? std::string(further_metrics) : key];
  }
  std::optional<double>& any = work.cost.flops[static_cast<size_t>(FlopWidth::any)];
  if (any && std::count_if(work.cost.flops.begin(), work.cost.flops.end(),
                           [](const auto& one) { return one.has_value(); }) > 1) {
    any.reset();
    out_->add_dropped(counted_flops, offset);
  }
  Node& node = nodes_[open_.back().node];
  node.own_ns = read.own_ns;
  node.own_calls = read.own_calls;
  if (work.cost.has_flops() || work.cost.bytes || !work.device_id.empty()) {
    node.work = static_cast<uint32_t>(works_.size());
    works_.push_back(std::move(work));
  }
}

// Amounts are the user's: where one is not an amount, the times are still right.
bool ProtonTree::is_usable(std::string_view number) {
  if (!is_not_finite(number) && number.front() != '-') return true;
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  if (value == 0 && !is_not_finite(number)) return true;
  out_->add_dropped(unknown_amounts, json_->offset());
  return false;
}

std::optional<double> ProtonTree::flops() {
  json_->expect(JsonKind::number);
  const std::string_view number = json_->number();
  if (!is_usable(number)) return std::nullopt;
  double value = 0;
  const auto [stop, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
  int64_t whole = 0;
  const bool too_small = fault == std::errc::result_out_of_range &&
                         read_json_number(number, 0, whole) != DecimalFault::too_large;
  if (too_small) return 0;
  if (fault != std::errc{}) {
    throw json_->error(fmt::format("is too large: {}", shown_text(number)));
  }
  return std::fabs(value);
}

std::optional<int64_t> ProtonTree::bytes() {
  json_->expect(JsonKind::number);
  const std::string_view number = json_->number();
  if (!is_usable(number)) return std::nullopt;
  int64_t value = 0;
  if (read_json_number(number, 0, value) == DecimalFault::too_large) {
    throw json_->error(fmt::format("does not fit in 64 bits: {}", shown_text(number)));
  }
  return value;
}

int64_t ProtonTree::time(int exponent) {
  json_->expect(JsonKind::number);
  const std::string_view number = json_->number();
  if (is_not_finite(number)) {
    throw json_->error(fmt::format("is {}, which is not a time", number));
  }
  int64_t ns = 0;
  const DecimalFault fault = read_json_number(number, exponent, ns);
  if (!strict_ && fault != DecimalFault::none) {
    out_->add_dropped(wrong_times, json_->offset());
    return 0;
  }
  switch (fault) {
    case DecimalFault::none:
      return ns;
    case DecimalFault::negative:
      throw json_->error(fmt::format("is negative: {}", shown_text(number)));
    default:
      throw json_->error(
          fmt::format("does not fit in 64 bits of nanoseconds: {}", shown_text(number)));
  }
}

// Ids are texts, in some files numbers.
std::string ProtonTree::text() {
  if (json_->value() == JsonKind::number) return std::string(json_->number());
  json_->expect(JsonKind::string);
  return std::string(json_->string());
}

bool ProtonTree::is_absent() {
  if (json_->value() != JsonKind::null) return false;
  json_->skip();
  return true;
}

void ProtonTree::once(bool is_new) const {
  if (!is_new) throw json_->error("occurs twice");
}

void ProtonTree::cut_off() {
  for (; !open_.empty(); open_.pop_back()) {
    const uint32_t last = open_.back().node;
    if (last + 1 == nodes_.size()) {
      nodes_.pop_back();
    } else {
      nodes_[last].end = static_cast<uint32_t>(nodes_.size());
    }
  }
}

std::string_view ProtonTree::name_of(const Node& node) const {
  if (node.name_at == no_name) return incomplete;
  return std::string_view(names_).substr(node.name_at, node.name_size);
}

// The root that Proton puts above all scopes, unless it has something of its own. Zeros do not
// count: Proton writes them there for each metric that some node has.
bool ProtonTree::is_module(const Node& node) const {
  if (node.parent != no_parent) return true;
  if (node.name_at == no_name) return false;
  if (name_of(node) != "ROOT" || node.own_ns != 0 || node.own_calls != 0) return true;
  if (node.work == no_work) return false;
  const NodeCost& cost = works_[node.work].cost;
  return cost.bytes.value_or(0) != 0 ||
         std::any_of(cost.flops.begin(), cost.flops.end(),
                     [](const auto& one) { return one.value_or(0) != 0; });
}

bool ProtonTree::has_nodes() const noexcept {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& node) { return is_module(node); });
}

uint32_t ProtonTree::device_of(const Work& work) const {
  const std::vector<ProfiledDevice>& devices = out_->costs().devices;
  uint32_t found = NodeCost::no_device;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const bool fits = devices[i].id == work.device_id &&
                      (work.device_type.empty() || devices[i].type == work.device_type);
    if (!fits) continue;
    if (found != NodeCost::no_device) return NodeCost::no_device;
    found = i;
  }
  return found;
}

// What nodes have of their own becomes what they have with all below them.
void ProtonTree::add_up(const std::string& path) {
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (node.parent == no_parent) continue;
    Node& parent = nodes_[node.parent];
    add_checked(parent.own_ns, node.own_ns, path, parent.offset, "times in nanoseconds");
    add_checked(parent.own_calls, node.own_calls, path, parent.offset, "counts");
  }
}

void ProtonTree::release(const std::string& path) {
  std::vector<bool> modules(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) modules[i] = is_module(nodes_[i]);
  add_up(path);
  ModuleCosts& costs = out_->costs();
  out_->begin_step("profile");
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (modules[i]) {
      out_->open(name_of(node), node.offset);
      out_->measured(node.own_ns, node.own_calls);
      if (node.work != no_work) {
        NodeCost cost = works_[node.work].cost;
        cost.step = out_->steps();
        cost.node = out_->open_node();
        cost.device = device_of(works_[node.work]);
        costs.has_amounts |= cost.has_flops() || cost.bytes.has_value();
        costs.nodes.push_back(cost);
      }
    }
    open.push_back(i);
    while (!open.empty() && nodes_[open.back()].end == i + 1) {
      if (modules[open.back()]) out_->close();
      open.pop_back();
    }
  }
  out_->end_step();
}

}  // namespace kr::trace
