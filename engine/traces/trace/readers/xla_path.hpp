// Where JAX says an operation belongs: the name stack of its HLO op (`tf_op`), as levels for
// OperationPlaces.
//
//     jit(train_step)/transpose(jvp(Transformer))/layers_0/attention/wq/dot_general:
//
// are the modules `jit_train_step`, `Transformer`, `layers_0`, `attention`, `wq`, and the
// annotation `autograd_phase=backward`: `transpose` is the backward pass. The last part is the
// primitive.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "trace/operation_places.hpp"

namespace kr::trace {

struct XlaPlace {
  std::string_view program;   // `jit_train_step`, perhaps with a fingerprint: `jit_f(123)`
  std::string_view path;      // `tf_op`, or the `name` of an annotation of XLA; may be neither
  std::string_view category;  // `hlo_category`
  std::string_view op;        // `hlo_op`
};

class XlaLevels {
 public:
  /// The outermost first; empty: nothing is known. Valid until the next call.
  const std::vector<OperationPlaces::Level>& of(const XlaPlace& place);

 private:
  void add_path(std::string_view path);
  void module(std::string_view name) {
    if (!name.empty()) levels_.push_back({HostRange::Kind::module, name});
  }
  void annotation(std::string_view key, std::string_view value);

  std::vector<OperationPlaces::Level> levels_;
  std::deque<std::string> texts_;
  bool backward_ = false;
};

/// `tf_op` that says something: not `XlaModule:`.
bool is_xla_path(std::string_view path) noexcept;
/// The same of the `name` that XLA's annotation of a kernel has: names of parameters are none.
bool is_xla_name_stack(std::string_view name) noexcept;

}  // namespace kr::trace
