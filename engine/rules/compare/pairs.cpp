#include "compare/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace kr::compare {
namespace {

using sema::EngineId;
using sema::ModelId;
using sema::Program;

constexpr std::string_view generic = "generic";

std::vector<std::string> engine_names(const Program& program) {
  std::vector<std::string> names;
  for (const sema::Engine& engine : program.engines) names.push_back(engine.name);
  return names;
}

EngineId named_engine(const Program& program, const std::string& name) {
  if (const auto found = program.engine(name)) return *found;
  throw Error("", fmt::format("unknown engine `{}`", name),
              near_or_all(name, engine_names(program)));
}

ModelId named_model(const Program& program, EngineId engine, const std::string& name) {
  if (const auto found = program.model(engine, name)) return *found;
  std::vector<std::string> names;
  for (const ModelId id : program.engines.get(engine).models) {
    names.push_back(program.models.get(id).name);
  }
  throw Error("",
              fmt::format("engine `{}` has no model `{}`", program.engines.get(engine).name, name),
              near_or_all(name, names));
}

/// The only engine, not counting `generic` beside others.
std::optional<EngineId> only_engine(const Program& program) {
  std::optional<EngineId> only;
  for (uint32_t i = 0; i < program.engines.size(); ++i) {
    if (program.engines.size() > 1 && program.engines.get({i}).name == generic) continue;
    if (only) return std::nullopt;
    only = EngineId{i};
  }
  return only;
}

/// The engine to compare with one that is named on the other side.
EngineId partner(const Program& program, const Chosen& chosen, const std::string& named) {
  if (!chosen.engine.empty()) return named_engine(program, chosen.engine);
  if (const auto same = program.engine(named)) return *same;
  if (const auto only = only_engine(program)) return *only;
  throw Error("", fmt::format("which engine is compared with `{}`?", named),
              "name one on the other side, too: RULES,ENGINE; " +
                  near_or_all(named, engine_names(program)));
}

class Pairing {
 public:
  Pairing(const Program& before, const Program& after) : before_(before), after_(after) {}

  void all() {
    std::vector<bool> paired(after_.engines.size(), false);
    const auto only_a = only_engine(before_);
    const auto only_b = only_engine(after_);
    const bool renamed = only_a && only_b && !after_.engine(before_.engines.get(*only_a).name) &&
                         !before_.engine(after_.engines.get(*only_b).name);
    for (uint32_t i = 0; i < before_.engines.size(); ++i) {
      auto same = after_.engine(before_.engines.get({i}).name);
      if (!same && renamed && EngineId{i} == *only_a) same = only_b;
      if (same) {
        paired[same->index] = true;
        models(EngineId{i}, *same);
      } else {
        add_only(before_, EngineId{i}, made_.only_before);
      }
    }
    for (uint32_t i = 0; i < after_.engines.size(); ++i) {
      if (!paired[i]) add_only(after_, EngineId{i}, made_.only_after);
    }
  }

  void one(EngineId a, EngineId b, const Chosen& chosen_a, const Chosen& chosen_b) {
    if (chosen_a.model.empty() && chosen_b.model.empty()) return models(a, b);
    name_engines(a, b);
    const std::string& old_name = chosen_a.model.empty() ? chosen_b.model : chosen_a.model;
    const std::string& new_name = chosen_b.model.empty() ? chosen_a.model : chosen_b.model;
    made_.pairs.push_back({named_model(before_, a, old_name), named_model(after_, b, new_name)});
    if (old_name != new_name) made_.renamed.emplace_back(old_name, new_name);
  }

  ModelPairs take() && { return std::move(made_); }

 private:
  void name_engines(EngineId a, EngineId b) {
    const std::string& old_name = before_.engines.get(a).name;
    const std::string& new_name = after_.engines.get(b).name;
    if (old_name != new_name) made_.renamed.emplace_back(old_name, new_name);
  }

  void models(EngineId a, EngineId b) {
    name_engines(a, b);
    for (const ModelId id : before_.engines.get(a).models) {
      if (const auto same = after_.model(b, before_.models.get(id).name)) {
        made_.pairs.push_back({id, *same});
      } else {
        made_.only_before.push_back(before_.title(id));
      }
    }
    for (const ModelId id : after_.engines.get(b).models) {
      if (!before_.model(a, after_.models.get(id).name))
        made_.only_after.push_back(after_.title(id));
    }
  }

  static void add_only(const Program& program, EngineId engine, std::vector<std::string>& out) {
    for (const ModelId id : program.engines.get(engine).models) out.push_back(program.title(id));
  }

  const Program& before_;
  const Program& after_;
  ModelPairs made_;
};

}  // namespace

ModelPairs pair_models(const Program& before, const Program& after, const Chosen& chosen_before,
                       const Chosen& chosen_after) {
  Pairing pairing(before, after);
  if (chosen_before.engine.empty() && chosen_after.engine.empty()) {
    pairing.all();
    return std::move(pairing).take();
  }
  const EngineId a = chosen_before.engine.empty()
                         ? partner(before, chosen_before, chosen_after.engine)
                         : named_engine(before, chosen_before.engine);
  const EngineId b = partner(after, chosen_after, before.engines.get(a).name);
  pairing.one(a, b, chosen_before, chosen_after);
  return std::move(pairing).take();
}

}  // namespace kr::compare
