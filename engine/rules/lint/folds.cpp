// KR317: folds without effect.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lint/checks.hpp"
#include "prove/prover.hpp"

namespace kr::lint {
namespace {

using Place = std::pair<source::FileId, uint32_t>;

Place place_of(const sema::Fold& fold) {
  return {fold.span.file, fold.span.begin};
}

/// Compares folds; caches the answers, since models share folds.
class Covers {
 public:
  explicit Covers(const Context& context)
      : program_(context.program()),
        prover_(formulas_, {}, context.options.proofs, &context.allowance) {}

  bool never(const sema::Fold& fold) {
    return prover_.find(formulas_.of(program_, fold.expr)).none();
  }

  /// Whether `other` provably folds all nodes of `fold` too.
  bool covers(const sema::Fold& other, const sema::Fold& fold) {
    const prove::FormulaId outer = formulas_.of(program_, other.expr);
    const prove::FormulaId inner = formulas_.of(program_, fold.expr);
    const auto [known, added] = known_.emplace(std::pair(outer, inner), false);
    const prove::FormulaId excluded[] = {outer};
    if (added) known->second = outer == inner || prover_.find(inner, excluded).none();
    return known->second;
  }

 private:
  const sema::Program& program_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::map<std::pair<prove::FormulaId, prove::FormulaId>, bool> known_;
};

/// The fold of `all` that makes `fold` redundant; of two equal folds, the first stays.
const sema::Fold* covering(Covers& covers, const std::vector<sema::Fold>& all,
                           const sema::Fold& fold) {
  const auto found = std::ranges::find_if(all, [&](const sema::Fold& other) {
    if (place_of(other) == place_of(fold) || !covers.covers(other, fold)) return false;
    return place_of(other) < place_of(fold) || !covers.covers(fold, other);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

void check_folds(const Context& context, diag::Sink& sink) {
  struct Found {
    const sema::Fold* fold = nullptr;
    bool useless = true;  // in all models so far
    bool never = false;
    const sema::Fold* by = nullptr;
  };
  std::map<Place, Found> found;
  Covers covers(context);
  for (const sema::Model& model : context.program().models) {
    for (const sema::Fold& fold : model.folds) {
      if (!context.is_root(fold.span.file)) continue;
      Found& here = found[place_of(fold)];
      if (here.fold == nullptr) here.never = covers.never(fold);
      here.fold = &fold;
      here.by = here.never ? nullptr : covering(covers, model.folds, fold);
      here.useless = here.useless && (here.never || here.by != nullptr);
    }
  }
  for (const auto& [place, here] : found) {
    if (!here.useless) continue;
    const std::string_view text = context.sources().text(here.fold->span);
    if (here.never) {
      sink.add(diag::code::useless_fold, here.fold->span, text, "no name matches it")
          .help("remove it");
      continue;
    }
    sink.add(
            diag::code::useless_fold, here.fold->span, text,
            fmt::format("`{}` already folds the same nodes", context.sources().text(here.by->span)))
        .related(here.by->span, "folded here")
        .help("remove it");
  }
}

}  // namespace kr::lint
