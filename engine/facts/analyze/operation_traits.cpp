#include "analyze/operation_traits.hpp"

#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace kr::analyze {
namespace {

/// Lower case, without `-`, `_` and spaces: `[cudamemcpyhosttodevice]`.
std::string plain_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ') out += lower(c);
  }
  return out;
}

}  // namespace

std::vector<OperationTraits> operation_traits(const sema::Program& program,
                                              const trace::Trace& trace,
                                              const classify::Labelled& labelled) {
  std::vector<OperationTraits> out(labelled.rows());
  for (size_t row = 0; row < out.size(); ++row) {
    OperationTraits& one = out[row];
    const trace::OperationName& name = trace.names.get(labelled.names[row]);
    one.kernel = name.kind == OperationKind::kernel;
    // As the reader of nsys names them: with their number, if it is known.
    one.whole_graph = one.kernel && name.text.starts_with("[CUDA graph");
    if (name.kind == OperationKind::memcpy) {
      const std::string plain = plain_name(name.text);
      const auto has = [&](const char* part) { return plain.find(part) != std::string::npos; };
      one.from_host = has("htod") || has("hosttodevice");
      one.to_host = has("dtoh") || has("devicetohost");
    }
  }
  for (const classify::DimensionLabels& dimension : labelled.dimensions) {
    const std::string& name = program.dimensions.get(dimension.dimension).name;
    const bool substage = name == "substage";
    const bool part = name == "part";
    if (!substage && !part && name != "stage") continue;
    for (size_t row = 0; row < out.size(); ++row) {
      const std::string_view label = dimension.by_row[row].label;
      OperationTraits& one = out[row];
      if (!one.kernel) continue;
      if (part) {
        one.head |= label == "lm_head";
        one.mlp |= label == "gate_up_proj";
        continue;
      }
      one.training |= label == "training";
      if (!substage) continue;
      one.attention |= label == "attention" || label == "linear_attention";
      one.edge |= label == "sampling" || label == "embedding";
      one.generates |= label == "sampling" || label == "kv_cache";
    }
  }
  return out;
}

}  // namespace kr::analyze
