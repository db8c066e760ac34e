#include "export/paraver_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/json.hpp"
#include "base/printable.hpp"

namespace kr::exports {
namespace {

constexpr std::string_view pcf_head =
    "DEFAULT_OPTIONS\n\n"
    "LEVEL               THREAD\n"
    "UNITS               NANOSEC\n"
    "LOOK_BACK           100\n"
    "SPEED               1\n"
    "FLAG_ICONS          ENABLED\n"
    "NUM_OF_STATE_COLORS 1000\n"
    "YMAX_SCALE          37\n\n\n"
    "DEFAULT_SEMANTIC\n\n"
    "THREAD_FUNC          State As Is\n";

int64_t number_of_known(std::string_view dimension) {
  if (dimension == "stage") return paraver_type::stage;
  if (dimension == "substage") return paraver_type::substage;
  return dimension == "kind" ? paraver_type::kind : 0;
}

void write_type(std::string& out, int64_t number, std::string_view label) {
  out += fmt::format("\nEVENT_TYPE\n0    {}    {}\n", number, label);
}

}  // namespace

std::string paraver_label(std::string_view text) {
  std::string label;
  for (const char c : utf8_text(text)) {
    const auto byte = static_cast<unsigned char>(c);
    byte < 0x20 || byte == 0x7f ? label += hex_byte(c) : label += c;
  }
  if (label.empty()) return "(no name)";
  if (label.back() == ' ') label = label.substr(0, label.size() - 1) + hex_byte(' ');
  if (label.front() == ' ') label = hex_byte(' ') + label.substr(1);
  return label;
}

void ParaverValues::number() {
  order_.resize(texts_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::sort(order_.begin(), order_.end(),
            [&](uint32_t a, uint32_t b) { return texts_.text(a) < texts_.text(b); });
  numbers_.assign(texts_.size() + 1, 0);
  for (uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i] + 1] = i + 1;
}

void ParaverValues::write(std::string& out) const {
  out += "VALUES\n0    End\n";
  for (uint32_t i = 0; i < order_.size(); ++i) {
    out += fmt::format("{}    {}\n", i + 1, paraver_label(texts_.text(order_[i])));
  }
}

size_t ParaverLabels::dimension(std::string_view name) {
  const auto known = std::find_if(dimensions_.begin(), dimensions_.end(),
                                  [&](const auto& one) { return one->name == name; });
  if (known != dimensions_.end()) return static_cast<size_t>(known - dimensions_.begin());
  dimensions_.push_back(std::make_unique<Dimension>());
  Dimension& added = *dimensions_.back();
  added.name = name;
  added.type = number_of_known(name);
  if (name == "kind") {
    // Its labels are known, so that their numbers are the same in all traces: the configurations
    // in share/paraver name them.
    for (const char* label : {"communication", "compute", "memory"}) added.values.add(label);
  }
  return dimensions_.size() - 1;
}

uint32_t ParaverLabels::add_labels(const std::vector<DimensionLabel>& labels) {
  std::vector<std::pair<size_t, uint32_t>> key;
  for (const auto& [name, label] : labels) {
    const size_t at = dimension(name);
    key.emplace_back(at, dimensions_[at]->values.add(label));
  }
  return known_.try_emplace(std::move(key), static_cast<uint32_t>(known_.size() + 1)).first->second;
}

void ParaverLabels::number_dimensions() {
  std::map<std::string_view, Dimension*> by_name;
  for (const auto& one : dimensions_) by_name[one->name] = one.get();
  int64_t next = paraver_type::first_dimension;
  for (const auto& [name, one] : by_name) {
    if (one->type == 0) one->type = next++;
    one->values.number();
  }
}

void ParaverLabels::number() {
  for (ParaverValues* one : {&calls, &kernels, &collectives, &copies, &phases, &modules,
                             &host_modules, &metrics_, &domains_}) {
    one->number();
  }
  for (ParaverValues& one : ranges_) one.number();
  number_dimensions();
  texts_.resize(known_.size() + 1);
  for (const auto& [key, number] : known_) {
    std::map<int64_t, uint32_t> values;
    for (const auto& [at, added] : key) {
      values[dimensions_[at]->type] = dimensions_[at]->values[added];
    }
    for (const auto& [type, value] : values) {
      texts_[number].begin += fmt::format(":{}:{}", type, value);
      texts_[number].end += fmt::format(":{}:0", type);
    }
  }
}

uint32_t ParaverLabels::add_domain(std::string_view name) {
  if (name.empty()) return 0;
  const uint32_t added = domains_.add(name);
  if (added == ranges_.size()) ranges_.emplace_back();
  return added;
}

int64_t ParaverLabels::range_type(uint32_t domain) const {
  return domain == 0 ? paraver_type::range : paraver_type::first_domain + domains_[domain] - 1;
}

int64_t ParaverLabels::metric_type(uint32_t metric) const {
  constexpr int64_t most = paraver_type::last_metric - paraver_type::first_metric;
  const int64_t at = metrics_[metric] - 1;
  return at <= most ? paraver_type::first_metric + at : paraver_type::more_metrics + at - most - 1;
}

void ParaverLabels::write(const ByteSink& to) const {
  std::string out(pcf_head);
  write_type(out, paraver_type::own, "kr " KR_VERSION);
  const auto values = [&](int64_t number, std::string_view label, const ParaverValues& of) {
    if (of.empty()) return;
    write_type(out, number, label);
    of.write(out);
    to(out);
    out.clear();
  };
  values(paraver_type::call, "CUDA library call", calls);
  values(paraver_type::kernel, "CUDA kernel", kernels);
  values(paraver_type::copy, "CUDA memcpy kernel", copies);
  values(paraver_type::collective, "NCCL kernel", collectives);
  if (bytes_) write_type(out, paraver_type::copy_bytes, "Memcopy size");
  if (correlations_) write_type(out, paraver_type::correlation, "Correlation ID");
  values(paraver_type::range, "NVTX ranges", ranges_[0]);
  domains_.each([&](uint32_t domain, std::string_view name) {
    values(range_type(domain), "NVTX ranges of " + paraver_label(name), ranges_[domain]);
  });
  std::map<int64_t, const Dimension*> dimensions;
  for (const auto& one : dimensions_) dimensions[one->type] = one.get();
  for (const auto& [type, one] : dimensions) {
    values(type, "kr " + paraver_label(one->name), one->values);
  }
  values(paraver_type::phase, "kr phase", phases);
  if (layers_ > 0) {
    write_type(out, paraver_type::layer, "kr layer");
    out += "VALUES\n0    End\n";
    for (uint32_t i = 1; i <= layers_; ++i) out += fmt::format("{}    layer {}\n", i, i - 1);
  }
  values(paraver_type::module, "kr module", modules);
  values(paraver_type::host_module, "kr host module", host_modules);
  if (in_flight_) {
    write_type(out, paraver_type::in_flight, "kr kernels in flight");
    phases.each([&](uint32_t phase, std::string_view name) {
      write_type(out, in_flight_type(phase), "kr kernels in flight in " + paraver_label(name));
    });
  }
  metrics_.each([&](uint32_t metric, std::string_view name) {
    write_type(out, metric_type(metric), paraver_label(name));
  });
  to(out);
}

}  // namespace kr::exports
