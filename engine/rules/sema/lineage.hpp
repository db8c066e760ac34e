// The engines and models of all files, and their inheritance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sema/block.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// The maximum number of ancestors of a model.
inline constexpr size_t max_bases = 256;

struct EngineNode {
  source::FileId module;
  const syntax::Engine* written = nullptr;
  std::vector<uint32_t> models;  // `default` first, then as written
};

struct ModelNode {
  uint32_t engine = 0;
  const syntax::Model* written = nullptr;  // null: `default`
  std::optional<uint32_t> base;
  bool incomplete = false;        // its `extends` is wrong, which has been reported
  std::vector<uint32_t> engines;  // its own, then those of its bases, without duplicates
};

class Lineage {
 public:
  Lineage(const Scope& scope, diag::Sink& sink);

  const std::vector<EngineNode>& engines() const noexcept { return engines_; }
  const std::vector<ModelNode>& models() const noexcept { return models_; }
  /// All models, each after its base.
  const std::vector<uint32_t>& order() const noexcept { return order_; }

  BodyId engine_body(uint32_t engine) const { return engine; }
  BodyId model_body(uint32_t model) const { return static_cast<BodyId>(engines_.size()) + model; }
  /// The body of std.kind.
  BodyId kind_body() const { return static_cast<BodyId>(engines_.size() + models_.size()); }

  source::FileId module_of(const ModelNode& model) const { return engines_[model.engine].module; }
  const std::string& name_of(uint32_t model) const;
  /// The model and its bases, nearest first.
  std::vector<uint32_t> chain(uint32_t model) const;

 private:
  void collect(const Scope& scope, diag::Sink& sink);
  void add_models(uint32_t engine, diag::Sink& sink);
  std::optional<uint32_t> base_of(const Scope& scope, const ModelNode& model,
                                  diag::Sink& sink) const;
  std::vector<uint32_t> candidates(const Scope& scope, const ModelNode& model, diag::Sink& sink,
                                   bool& reported) const;

  std::optional<uint32_t> model_in(uint32_t engine, std::string_view name) const;
  void report_unknown(const ModelNode& model, const std::vector<uint32_t>& engines,
                      diag::Sink& sink) const;
  void settle(diag::Sink& sink);

  std::vector<EngineNode> engines_;
  std::vector<ModelNode> models_;
  std::vector<std::vector<uint32_t>> engines_of_;                 // by module, beside its engines
  std::vector<std::unordered_map<std::string, uint32_t>> names_;  // models, by engine
  std::vector<uint32_t> order_;
};

}  // namespace kr::sema
