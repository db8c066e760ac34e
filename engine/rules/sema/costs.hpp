// The `cost` blocks of the files: every clause resolved, every named block as a list with its
// includes.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sema/budget.hpp"
#include "sema/expressions.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

class Costs {
 public:
  /// Resolves the blocks of all modules. The clauses are in `program.costs`.
  Costs(Program& program, const Scope& scope, Expressions& expressions, Budget& budget,
        diag::Sink& sink);

  /// The clauses of several blocks, in the order written, with what they include.
  std::vector<CostId> blocks(source::FileId module, const std::vector<syntax::CostBlock>& blocks);
  /// Those of the blocks of a file that have no name.
  const std::vector<CostId>& of_file(source::FileId module) const { return of_file_[module.index]; }

 private:
  std::vector<uint32_t> order() const;
  void add_block(source::FileId module, const syntax::CostBlock& block, std::vector<CostId>& to);

  Program& program_;
  const Scope& scope_;
  Expressions& expressions_;
  Budget& budget_;
  diag::Sink& sink_;
  Numbering numbering_;
  std::vector<std::vector<CostId>> lists_;    // by block of a file
  std::vector<bool> ready_;                   // by block of a file
  std::vector<std::vector<CostId>> of_file_;  // by module
};

/// The clause as written, with its names resolved. Mistakes are reported.
CostClause resolve_clause(source::FileId module, const syntax::File& tree,
                          const syntax::CostClause& written, Expressions& expressions,
                          diag::Sink& sink);

/// A clause with arguments alone: of `op "aten::mm" ([_, K], [K, 6144])`.
CostClause resolve_arguments(const std::vector<syntax::CostArgument>& written, diag::Sink& sink);

/// What a test calls an op with. `expected` stays empty.
Test::Call resolve_call(const syntax::File& tree, const syntax::TestCase::Call& written,
                        diag::Sink& sink);

}  // namespace kr::sema
