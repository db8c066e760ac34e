#include "trace/readers/layerwise_forest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr int us = 3;  // 10^3 ns

// Members of an entry.
constexpr uint32_t name_bit = 1, time_bit = 2, calls_bit = 4;

uint32_t entry_member(std::string_view key) noexcept {
  const auto is = [&](std::string_view known, uint32_t bit) { return key == known ? bit : 0; };
  // The rest is passed over in every entry.
  switch (key.size()) {
    case 4:
      return is("name", name_bit);
    case 5:
      return is("trace", 8);
    case 11:
      return key.front() == 'i' ? is("invocations", calls_bit) : is("cpu_time_us", 16);
    case 12:
      return is("cuda_time_us", time_bit);
    case 13:
      return is("pct_cuda_time", 32);
    default:
      return 0;
  }
}

}  // namespace

bool SeenKeys::add(std::string_view key) {
  if (!others_) others_ = std::make_unique<std::unordered_set<std::string>>();
  return others_->emplace(key).second;
}

void LayerwiseForest::read() {
  json_->enter();
  bool in_list = true;
  while (true) {
    if (!in_list) {
      // In a node, before its first member or behind its children.
      in_list = find_children();
      if (in_list) continue;
      end_node();
      in_list = true;
    } else if (json_->next()) {
      begin_node();
      in_list = false;
    } else if (open_.empty()) {
      return;
    } else {
      in_list = false;
    }
  }
}

void LayerwiseForest::begin_node() {
  json_->expect(JsonKind::object);
  const bool holding = !open_.empty() && open_.back().held != not_held;
  Node& node = open_.emplace_back();
  node.offset = json_->offset();
  node.held = not_held;
  if (holding) hold(node);
  json_->enter();
}

void LayerwiseForest::hold(Node& node) {
  node.held = static_cast<uint32_t>(held_.size());
  held_.emplace_back().offset = node.offset;
}

// True: the cursor is in a list of children. False: it is behind the node.
bool LayerwiseForest::find_children() {
  Node& node = open_.back();
  while (json_->next()) {
    const std::string_view key = json_->key();
    if (key == "entry") {
      once(node.seen.add(entry_bit));
      read_entry();
    } else if (key == "children") {
      once(node.seen.add(children_bit));
      if (json_->value() == JsonKind::null) {
        json_->skip();
        continue;
      }
      json_->expect(JsonKind::array);
      if (!node.seen.has(entry_bit) && node.held == not_held) hold(node);
      json_->enter();
      return true;
    } else {
      once(node.seen.add(key));
      json_->pass();
    }
  }
  return false;
}

void LayerwiseForest::end_node() {
  const Node& node = open_.back();
  if (!node.seen.has(entry_bit)) throw json_->error("has no `entry`");
  if (node.held == not_held) {
    out_->close();
  } else {
    held_[node.held].end = static_cast<uint32_t>(held_.size());
    if (node.held == 0) release();
  }
  open_.pop_back();
}

void LayerwiseForest::read_entry() {
  json_->expect(JsonKind::object);
  json_->enter();
  SeenKeys seen;
  int64_t total_ns = 0;
  int64_t calls = calls_;
  while (json_->next()) {
    const std::string_view key = json_->key();
    const uint32_t known = entry_member(key);
    once(known != 0 ? seen.add(known) : seen.add(key));
    if (known == name_bit) {
      json_->expect(JsonKind::string);
      name(json_->string());
    } else if (known == time_bit) {
      total_ns = time();
    } else if (known == calls_bit) {
      calls = read_count(*json_);
    } else {
      json_->pass();
    }
  }
  if (!seen.has(name_bit)) throw json_->error("has no `name`");
  if (!seen.has(time_bit)) throw json_->error("has no `cuda_time_us`");
  if (const uint32_t held = open_.back().held; held != not_held) {
    held_[held].total_ns = total_ns;
    held_[held].calls = calls;
  } else {
    out_->measured(total_ns, calls);
  }
}

void LayerwiseForest::name(std::string_view name) {
  const Node& node = open_.back();
  if (node.held == not_held) {
    out_->open(name, node.offset);
    return;
  }
  Held& held = held_[node.held];
  held.name_at = held_names_.size();
  held.name_size = name.size();
  held_names_ += name;
}

// What was kept is whole.
void LayerwiseForest::release() {
  for (uint32_t i = 0; i < held_.size(); ++i) {
    const Held& held = held_[i];
    out_->open(std::string_view(held_names_).substr(held.name_at, held.name_size), held.offset);
    out_->measured(held.total_ns, held.calls);
    ends_.push_back(held.end);
    while (!ends_.empty() && ends_.back() == i + 1) {
      out_->close();
      ends_.pop_back();
    }
  }
  held_.clear();
  held_names_.clear();
}

int64_t LayerwiseForest::time() {
  json_->expect(JsonKind::number);
  const std::string_view text = json_->number();
  if (text.back() == 'N' || text.back() == 'y') {
    throw json_->error(fmt::format("is {}, which is not a time", text));
  }
  int64_t ns = 0;
  switch (read_json_number(text, us, ns)) {
    case DecimalFault::none:
      return ns;
    case DecimalFault::negative:
      throw json_->error(fmt::format("is negative: {}", shown_text(text)));
    default:
      throw json_->error(
          fmt::format("does not fit in 64 bits of nanoseconds: {}", shown_text(text)));
  }
}

void LayerwiseForest::once(bool is_new) const {
  if (!is_new) throw json_->error("occurs twice");
}

int64_t read_count(JsonPull& json) {
  json.expect(JsonKind::number);
  const std::string_view text = json.number();
  if (text.back() == 'N' || text.back() == 'y') {
    throw json.error(fmt::format("is {}, which is not a count", text));
  }
  if (text.front() == '-') throw json.error(fmt::format("is negative: {}", shown_text(text)));
  // `32.0` counts what `32` does.
  const size_t point = std::min(text.find('.'), text.size());
  int64_t count = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + point, count);
  if (fault == std::errc::result_out_of_range) {
    throw json.error(fmt::format("does not fit in 64 bits: {}", shown_text(text)));
  }
  const std::string_view rest = text.substr(static_cast<size_t>(stop - text.data()));
  if (rest.find_first_not_of(".0") != rest.npos) {
    throw json.error(fmt::format("is not a whole number: {}", shown_text(text)));
  }
  return count;
}

}  // namespace kr::trace
