#include "sema/lineage.hpp"

#include <algorithm>

#include "sema/order.hpp"

namespace kr::sema {
namespace {

const std::string default_name = "default";

}  // namespace

Lineage::Lineage(const Scope& scope, diag::Sink& sink) {
  collect(scope, sink);
  for (ModelNode& model : models_) {
    if (model.written == nullptr || !model.written->extends) continue;
    model.base = base_of(scope, model, sink);
    model.incomplete = !model.base;
  }
  settle(sink);
}

void Lineage::collect(const Scope& scope, diag::Sink& sink) {
  engines_of_.resize(scope.modules().size());
  for (uint32_t m = 0; m < scope.modules().size(); ++m) {
    for (const syntax::Engine& engine : scope.tree({m}).engines) {
      engines_of_[m].push_back(static_cast<uint32_t>(engines_.size()));
      engines_.push_back({{m}, &engine, {}});
    }
  }
  names_.resize(engines_.size());
  for (uint32_t e = 0; e < engines_.size(); ++e) add_models(e, sink);
}

void Lineage::add_models(uint32_t engine, diag::Sink& sink) {
  EngineNode& node = engines_[engine];
  const auto add = [&](const syntax::Model* written) {
    node.models.push_back(static_cast<uint32_t>(models_.size()));
    models_.push_back({engine, written, {}, false, {}});
    return node.models.back();
  };
  names_[engine].emplace(default_name, add(nullptr));
  for (const syntax::Model& model : node.written->models) {
    const auto next = static_cast<uint32_t>(models_.size());
    const auto [at, added] = names_[engine].emplace(model.name.text, next);
    if (added) {
      add(&model);
    } else if (model.name.text == default_name) {
      sink.add(diag::code::reserved_model, model.name.span)
          .help("put what all models share into the engine itself");
    } else {
      sink.add(diag::code::redefinition, model.name.span, "model", model.name.text)
          .related(models_[at->second].written->name.span, "first declared here");
    }
  }
}

const std::string& Lineage::name_of(uint32_t model) const {
  const syntax::Model* written = models_[model].written;
  return written == nullptr ? default_name : written->name.text;
}

std::optional<uint32_t> Lineage::model_in(uint32_t engine, std::string_view name) const {
  const auto at = names_[engine].find(std::string(name));
  return at == names_[engine].end() ? std::nullopt : std::optional(at->second);
}

// The engines that `extends` refers to. `m`: the model's own engine; `alias.m`: all engines of that
// module; `alias.engine.m`: one engine.
std::vector<uint32_t> Lineage::candidates(const Scope& scope, const ModelNode& model,
                                          diag::Sink& sink, bool& reported) const {
  const syntax::Path& path = *model.written->extends;
  const source::FileId from = module_of(model);
  if (path.parts.size() == 1) return {model.engine};
  const auto module = scope.alias(from, path.parts[0].text);
  reported = true;
  if (!module) {
    scope.report_alias(from, path.parts[0], sink);
    return {};
  }
  if (!module->valid()) return {};
  if (path.parts.size() == 2) {
    reported = false;
    return engines_of_[module->index];
  }
  const syntax::Word& name = path.parts[1];
  if (const auto engine = scope.own(*module, name.text, Noun::engine)) {
    reported = false;
    return {engines_of_[module->index][engine->index]};
  }
  diag::Diagnostic& added = sink.add(diag::code::unknown_engine, name.span, name.text);
  suggest(added, name.text, scope.names(*module, Noun::engine), path.parts[0].text + ".", sink);
  return {};
}

std::optional<uint32_t> Lineage::base_of(const Scope& scope, const ModelNode& model,
                                         diag::Sink& sink) const {
  const syntax::Path& path = *model.written->extends;
  if (path.parts.empty()) return std::nullopt;
  bool reported = false;
  const std::vector<uint32_t> engines = candidates(scope, model, sink, reported);
  if (reported) return std::nullopt;
  std::vector<uint32_t> found;
  if (path.parts.size() <= 3) {
    for (const uint32_t engine : engines) {
      if (const auto base = model_in(engine, path.parts.back().text)) found.push_back(*base);
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    report_unknown(model, engines, sink);
    return std::nullopt;
  }
  std::string list;
  for (const uint32_t one : found) {
    const std::string& engine = engines_[models_[one].engine].written->name.text;
    list += (list.empty() ? "`" : ", `") + engine + "`";
  }
  const std::string& first = engines_[models_[found[0]].engine].written->name.text;
  sink.add(diag::code::ambiguous_model, path.span, path.text(), list)
      .help("name the engine too: `{}.{}.{}`", path.parts[0].text, first, path.parts[1].text);
  return std::nullopt;
}

void Lineage::report_unknown(const ModelNode& model, const std::vector<uint32_t>& engines,
                             diag::Sink& sink) const {
  const syntax::Path& path = *model.written->extends;
  diag::Diagnostic& added =
      sink.add(diag::code::unknown_model, path.parts.back().span, path.text());
  if (!worth_suggesting(sink)) return;
  std::vector<std::string> known;
  for (const uint32_t engine : engines) {
    for (const uint32_t one : engines_[engine].models) {
      if (models_[one].written != model.written) known.push_back(name_of(one));
    }
  }
  std::string prefix;
  for (size_t i = 0; i + 1 < path.parts.size(); ++i) prefix += path.parts[i].text + ".";
  if (engines.empty()) {
    added.help("module `{}` has no engine", path.parts[0].text);
  } else {
    suggest(added, path.parts.back().text, known, prefix, sink);
  }
}

std::vector<uint32_t> Lineage::chain(uint32_t model) const {
  std::vector<uint32_t> chain;
  for (std::optional<uint32_t> at = model; at; at = models_[*at].base) chain.push_back(*at);
  return chain;
}

void Lineage::settle(diag::Sink& sink) {
  std::vector<std::vector<uint32_t>> edges(models_.size());
  for (uint32_t m = 0; m < models_.size(); ++m) {
    if (models_[m].base) edges[m].push_back(*models_[m].base);
  }
  order_ = dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    report_cycle(sink, diag::code::extends_cycle, "model", path, [&](uint32_t model) {
      return syntax::Word{name_of(model), models_[model].written->extends->span};
    });
  });
  std::vector<size_t> depth(models_.size());
  std::vector<bool> settled(models_.size());
  for (const uint32_t m : order_) {
    ModelNode& model = models_[m];
    if (model.base && !settled[*model.base]) {  // closes a cycle
      model.base.reset();
      model.incomplete = true;
    }
    settled[m] = true;
    if (model.base) depth[m] = depth[*model.base] + 1;
    if (depth[m] > max_bases) {
      sink.add(diag::code::too_deep, model.written->name.span, "model", model.written->name.text,
               max_bases);
      model.base.reset();
      model.incomplete = true;
      depth[m] = 0;
    }
    model.engines.push_back(model.engine);
    if (!model.base) continue;
    model.incomplete |= models_[*model.base].incomplete;
    for (const uint32_t engine : models_[*model.base].engines) {
      if (engine != model.engine) model.engines.push_back(engine);
    }
  }
}

}  // namespace kr::sema
