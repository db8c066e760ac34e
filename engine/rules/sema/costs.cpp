#include "sema/costs.hpp"

#include <algorithm>

#include "sema/order.hpp"

namespace kr::sema {

Costs::Costs(Program& program, const Scope& scope, Expressions& expressions, Budget& budget,
             diag::Sink& sink)
    : program_(program),
      scope_(scope),
      expressions_(expressions),
      budget_(budget),
      sink_(sink),
      numbering_(scope.number(&syntax::File::costs)),
      lists_(numbering_.all.size()),
      ready_(numbering_.all.size()),
      of_file_(scope.modules().size()) {
  for (const uint32_t node : order()) {
    const Found at = numbering_.all[node];
    add_block(at.module, scope_.tree(at.module).costs[at.index], lists_[node]);
    ready_[node] = true;
  }
  for (uint32_t m = 0; m < scope.modules().size(); ++m) {
    const std::vector<syntax::CostBlock>& written = scope.tree({m}).costs;
    for (uint32_t i = 0; i < written.size(); ++i) {
      if (written[i].name) continue;
      const std::vector<CostId>& list = lists_[numbering_.number({{m}, i})];
      of_file_[m].insert(of_file_[m].end(), list.begin(), list.end());
    }
  }
}

std::vector<uint32_t> Costs::order() const {
  const std::vector<Found>& all = numbering_.all;
  const auto block = [&](uint32_t node) -> const syntax::CostBlock& {
    return scope_.tree(all[node].module).costs[all[node].index];
  };
  std::vector<std::vector<uint32_t>> edges(all.size());
  for (uint32_t node = 0; node < all.size(); ++node) {
    for (const syntax::CostClause& clause : block(node).clauses) {
      if (!clause.include) continue;
      if (const auto found = scope_.look(all[node].module, clause.table, Noun::cost)) {
        edges[node].push_back(numbering_.number(*found));
      }
    }
  }
  return dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    report_cycle(sink_, diag::code::include_cycle, "block", path,
                 [&](uint32_t node) -> const syntax::Word& { return *block(node).name; });
  });
}

void Costs::add_block(source::FileId module, const syntax::CostBlock& block,
                      std::vector<CostId>& to) {
  const syntax::File& tree = scope_.tree(module);
  const bool root = scope_.module(module).root;
  for (const syntax::CostClause& written : block.clauses) {
    if (!written.include) {
      to.push_back(program_.costs.add(resolve_clause(module, tree, written, expressions_, sink_)));
      if (root) program_.root_costs.push_back(to.back());
      continue;
    }
    const auto found = scope_.find(module, written.table, Noun::cost, sink_);
    if (!found || !ready_[numbering_.number(*found)]) continue;
    const std::vector<CostId>& list = lists_[numbering_.number(*found)];
    if (budget_.spend(list.size(), written.span)) to.insert(to.end(), list.begin(), list.end());
  }
}

std::vector<CostId> Costs::blocks(source::FileId module,
                                  const std::vector<syntax::CostBlock>& blocks) {
  std::vector<CostId> list;
  for (const syntax::CostBlock& block : blocks) add_block(module, block, list);
  return list;
}

}  // namespace kr::sema
