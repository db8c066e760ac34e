#include "analyze/step_parts.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kr::analyze {
StepPart StepParts::operator[](size_t step) const {
  const Row& row = rows_[step];
  const uint64_t text_begin = row.text == 0 ? 0 : text_ends_[row.text - 1];
  StepPart part;
  part.phase = phases_[row.phase];
  part.step = known(row.step);
  part.layer = known(layer_[step]);
  part.batch = known(batch_[step]);
  part.tokens = known(tokens_[step]);
  part.outer = outer(step);
  part.text = {texts_.data() + text_begin, text_ends_[row.text] - text_begin};
  part.instances = row.instances;
  part.total_ns = row.total_ns;
  part.wall_ns = known(row.wall_ns);
  part.time = time(step);
  return part;
}

std::optional<size_t> StepParts::outer(size_t step) const noexcept {
  const uint32_t outer = rows_[step].outer;
  return outer == no_step ? std::nullopt : std::optional<size_t>(outer);
}

bool StepParts::is_in_its_phase(size_t step) const noexcept {
  for (uint32_t at = rows_[step].outer; at != no_step; at = rows_[at].outer) {
    if (rows_[at].phase == rows_[step].phase) return true;
  }
  return false;
}

Breakdown StepParts::time(size_t step) const noexcept {
  const Row& row = rows_[step];
  Breakdown time;
  const int64_t operations = operations_[step];
  time.operations = operations == unknown ? row.instances : operations;
  time.span_ns = row.span_ns;
  time.compute_ns = row.compute_ns;
  time.communication_ns = communication_[step];
  time.exposed_communication_ns = exposed_communication_[step];
  time.memory_ns = memory_[step];
  time.exposed_memory_ns = exposed_memory_[step];
  time.busy_ns = time.compute_ns + time.exposed_communication_ns + time.exposed_memory_ns;
  time.idle_ns = time.span_ns - time.busy_ns;
  return time;
}

std::vector<StepDevice> StepParts::devices(size_t step) const {
  const Row& row = rows_[step];
  if (row.devices == 0) return {};
  if (row.first_start_ns != unknown) return {{time(step), row.device, row.first_start_ns}};
  const auto first = devices_.begin() + row.device;
  return {first, first + row.devices};
}

std::vector<LabelPart> StepParts::labels(size_t step, size_t dimension) const {
  const Row& row = rows_[step];
  std::vector<std::pair<uint32_t, LabelPart>> found;  // few
  for (uint32_t i = 0; i < row.labels; ++i) {
    const Labelled& one = labelled_[row.labelled + i];
    const uint32_t label = combinations_[one.labels][dimension];
    if (label == no_label) continue;
    auto at = std::find_if(found.begin(), found.end(),
                           [&](const auto& other) { return other.first == label; });
    if (at == found.end()) at = found.insert(at, {label, {labels_[label], 0, 0}});
    at->second.instances += one.instances;
    at->second.total_ns += one.total_ns;
  }
  std::vector<LabelPart> out;
  out.reserve(found.size());
  for (auto& [label, part] : found) out.push_back(std::move(part));
  std::sort(out.begin(), out.end(), [](const LabelPart& a, const LabelPart& b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.label < b.label;
  });
  return out;
}

LabelParts StepParts::labels(size_t step) const {
  LabelParts out;
  out.reserve(dimensions_.size());
  for (size_t d = 0; d < dimensions_.size(); ++d) {
    out.emplace_back(dimensions_[d], labels(step, d));
  }
  return out;
}

size_t StepParts::label_count(size_t step) const {
  size_t count = 0;
  for (size_t d = 0; d < dimensions_.size(); ++d) count += labels(step, d).size();
  return count;
}

std::optional<std::string_view> StepParts::label(uint32_t combination, size_t dimension) const {
  const uint32_t label = combinations_[combination][dimension];
  if (label == no_label) return std::nullopt;
  return labels_[label];
}

void StepParts::add(const StepPart& step, std::span<const StepDevice> devices) {
  const uint32_t phase_number = phase(step.phase);
  add(phase_number, text(step.text), step);
  set_sums(size() - 1, step, devices);
  set_wall(size() - 1, step.wall_ns);
}

void StepParts::add_label(size_t dimension, const LabelPart& part) {
  std::vector<uint32_t> labels(dimensions_.size(), no_label);
  labels[dimension] = label(part.label);
  Row& row = rows_.back();
  if (row.labels == 0) row.labelled = static_cast<uint32_t>(labelled_.size());
  KR_CHECK(row.labelled + row.labels == labelled_.size());
  labelled_.push_back(
      {combination(std::move(labels)), static_cast<uint32_t>(part.instances), part.total_ns});
  ++row.labels;
}

uint32_t StepParts::Texts::number(std::string_view text) {
  const auto at = numbers_.find(text);
  if (at != numbers_.end()) return at->second;
  const auto number = static_cast<uint32_t>(texts_.size());
  numbers_.emplace(text, number);
  texts_.emplace_back(text);
  return number;
}

uint32_t StepParts::phase(std::string_view name) {
  return phases_.number(name);
}

uint32_t StepParts::text(std::string_view text) {
  texts_.insert(texts_.end(), text.begin(), text.end());
  text_ends_.push_back(texts_.size());
  return static_cast<uint32_t>(text_ends_.size() - 1);
}

void StepParts::add(uint32_t phase, uint32_t text, const StepPart& step) {
  const size_t at = rows_.size();
  Row& row = rows_.emplace_back();
  row.phase = phase;
  row.text = text;
  if (step.outer) row.outer = static_cast<uint32_t>(*step.outer);
  row.step = stored(step.step);
  layer_.set(at, stored(step.layer));
  batch_.set(at, stored(step.batch));
  tokens_.set(at, stored(step.tokens));
}

void StepParts::set_sums(size_t step, const StepPart& sums, std::span<const StepDevice> devices) {
  Row& row = rows_[step];
  row.instances = static_cast<uint32_t>(sums.instances);
  row.total_ns = sums.total_ns;
  row.span_ns = sums.time.span_ns;
  row.compute_ns = sums.time.compute_ns;
  if (sums.time.operations != sums.instances) operations_.set(step, sums.time.operations);
  communication_.set(step, sums.time.communication_ns);
  exposed_communication_.set(step, sums.time.exposed_communication_ns);
  memory_.set(step, sums.time.memory_ns);
  exposed_memory_.set(step, sums.time.exposed_memory_ns);
  row.devices = static_cast<uint32_t>(devices.size());
  if (devices.size() == 1 && static_cast<const Breakdown&>(devices[0]) == time(step)) {
    row.device = devices[0].device;
    row.first_start_ns = devices[0].first_start_ns;
  } else if (!devices.empty()) {
    row.device = static_cast<int32_t>(devices_.size());
    devices_.insert(devices_.end(), devices.begin(), devices.end());
  }
}

void StepParts::set_wall(size_t step, std::optional<int64_t> wall_ns) {
  rows_[step].wall_ns = stored(wall_ns);
}

uint32_t StepParts::label(std::string_view text) {
  return labels_.number(text);
}

uint32_t StepParts::combination(std::vector<uint32_t> labels) {
  const auto [at, added] = numbers_of_combinations_.try_emplace(
      std::move(labels), static_cast<uint32_t>(combinations_.size()));
  if (added) combinations_.push_back(at->first);
  return at->second;
}

void StepParts::set_labels(size_t step, std::span<const Labelled> labelled) {
  Row& row = rows_[step];
  row.labelled = static_cast<uint32_t>(labelled_.size());
  row.labels = static_cast<uint32_t>(labelled.size());
  labelled_.insert(labelled_.end(), labelled.begin(), labelled.end());
}

}  // namespace kr::analyze
