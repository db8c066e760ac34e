// The rules of the files: every written list of rules as a Block, and every `table` as a list with
// its includes.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sema/block.hpp"
#include "sema/expressions.hpp"
#include "sema/vocabulary.hpp"

namespace kr::sema {

class Tables {
 public:
  /// Resolves the tables of all modules.
  Tables(Program& program, const Scope& scope, Expressions& expressions,
         const Vocabularies& vocabularies, Budget& budget, diag::Sink& sink);

  /// A dimension block of a body, or its `phases`.
  Block block(source::FileId module, const syntax::Word& dimension,
              const std::optional<syntax::Word>& over, const std::optional<syntax::Word>& from,
              const std::vector<syntax::Rule>& rules);
  const RuleList& list(Found table) const { return lists_[numbering_.number(table)]; }

  /// Reports labels of the block that are not in its vocabulary.
  void check_labels(const Block& block, const Vocabulary& vocabulary);

  /// True the first time: the unknown label of a rule is reported once, not in each model that
  /// inherits the rule.
  bool report_label_once(RuleId rule) { return reported_labels_.insert(rule).second; }

  /// Where a rule of `D from E` lists a label of E.
  source::Span image_place(RuleId rule, uint32_t label) const {
    const auto at = image_places_.find({rule, label});
    return at == image_places_.end() ? program_.rules.get(rule).label_span : at->second;
  }

  const DistinctTexts& labels() const noexcept { return labels_; }
  const DistinctTexts& dimensions() const noexcept { return dimensions_; }
  /// The number of a rule's label in `labels`; for `otherwise keep`, that of the empty text.
  uint32_t number(const std::string& label) { return labels_.add(label); }
  uint32_t dimension(const std::string& name) { return dimensions_.add(name); }
  uint32_t phases() const noexcept { return phases_; }
  uint32_t kind() const noexcept { return kind_; }
  const Vocabularies& vocabularies() const noexcept { return vocabularies_; }

 private:
  std::vector<uint32_t> order() const;
  void read_refine(Block& block, const syntax::Rule& rule);
  void read_image(Block& block, const syntax::Rule& rule);
  void read_include(Block& block, const syntax::Rule& rule);
  void read_otherwise(Block& block, const syntax::Rule& rule);
  RuleId add_rule(const Block& block, const syntax::Rule& rule, bool otherwise);
  void read_passed(Block& block, const syntax::Rule& rule);
  std::optional<Chain> chain_of(const Block& block, const syntax::Rule& rule);
  bool is_otherwise(source::FileId module, const syntax::Rule& rule) const;

  Program& program_;
  const Scope& scope_;
  Expressions& expressions_;
  const Vocabularies& vocabularies_;
  Budget& budget_;
  diag::Sink& sink_;
  DistinctTexts labels_;
  DistinctTexts dimensions_;
  uint32_t phases_;
  uint32_t kind_;
  Numbering numbering_;         // of the tables
  std::deque<Block> blocks_;    // by table
  std::deque<RuleList> lists_;  // by table; with stable addresses
  std::vector<bool> ready_;     // by table
  std::unordered_set<RuleId> reported_labels_;
  std::map<std::pair<RuleId, uint32_t>, source::Span> image_places_;
};

}  // namespace kr::sema
