// What PyTorch says of the nodes of CUDA graphs (torch.cuda.graph with annotations, since 2026): in
// the arguments of their operations, as a list in one argument, or in a file beside the trace.
// By `_chrome_trace_export.py`, `_annotate_cuda_graph_trace.py` and `monitor_trace.py` of PyTorch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/operation_places.hpp"

namespace kr {

struct JsonValue;

}  // namespace kr

namespace kr::trace {

/// Keys and values of one node. The keys are free, but for `module_fqn`, the path of its module.
class NodeAnnotation {
 public:
  /// The later value of a key wins.
  void set(std::string_view key, std::string_view value);
  /// Dictionaries and texts, as the list of one node has them: a text, or the old key `str`, is
  /// its name.
  void set_all(const JsonValue& entries);

  /// Lists of texts, as kr exports them: all its modules, the outermost first, and what else is
  /// said of it. False: one is no such list.
  bool set_lists(std::string_view modules, std::string_view texts);

  /// Null: there is no such key.
  const std::string* find(std::string_view key) const;
  /// Of a collective, by PyTorch's names of keys; nullopt: it says of none. Its name may be that of
  /// anything: the kernel then says what it does.
  std::optional<CollectiveCall> collective() const;

  /// Its modules, the outermost first, and `key=value` of all else that is not a lane of a display,
  /// of a name the value alone. Views of `texts`.
  std::vector<OperationPlaces::Level> levels(std::vector<std::string>& texts) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> modules_, texts_;  // as kr exports them
};

/// Of JSON text that is a list of them; nullopt: it is none.
std::optional<NodeAnnotation> annotation_from(std::string_view json);

/// Whether the arguments of an operation have that key without any annotation.
bool is_profilers_key(std::string_view key) noexcept;

/// A file of annotations: {"NODE": [{"module_fqn": "layers.0"}, "text", …], …}.
class NodeAnnotations {
 public:
  /// Throws Error.
  explicit NodeAnnotations(const std::string& path);

  /// Graph in the upper 32 bits, node in the lower. Null: nothing is said of it.
  const NodeAnnotation* find(uint64_t node) const;
  size_t size() const noexcept { return nodes_.size(); }

 private:
  std::map<uint64_t, NodeAnnotation> nodes_;
};

/// The file that belongs to a trace: of its rank, the digits that its name begins with, in the
/// folder above its own, or in `where`, if that is a folder. Empty: there is none.
std::string find_annotations(const std::string& trace, const std::string& where);

}  // namespace kr::trace
