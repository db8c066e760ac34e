// The effective rules: for every engine and model, the rules of each dimension in the order of
// evaluation, and the labels that they may give.
//
// A model's rules come first, then those of its bases, then those of its engine and of its bases'
// engines; for `kind`, last, those of std.kind. Then what `refine` and `D from E` make of them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sema/costs.hpp"
#include "sema/lineage.hpp"
#include "sema/refine.hpp"
#include "sema/tables.hpp"

namespace kr::sema {

class Assembly {
 public:
  Assembly(Program& program, const Scope& scope, Expressions& expressions, Tables& tables,
           Costs& costs, const Lineage& lineage, Budget& budget, source::FileId kind,
           diag::Sink& sink);

  /// Adds the engines of root files, with their models, to the Program.
  void fill();

 private:
  using Lists = std::map<uint32_t, std::shared_ptr<const RuleList>>;  // by dimension
  /// The resolved content of an engine or model.
  struct Content {
    std::map<uint32_t, Block> blocks;  // by dimension, `phases` among them
    std::vector<Fold> folds;
    const std::vector<syntax::Abbreviation>* abbreviations = nullptr;
    std::vector<CostId> costs;
    ExprId detect;
  };

  void read_body(BodyId body, source::FileId module, const syntax::Body& written);
  void read_kind(source::FileId kind);
  void list_engine(uint32_t engine);
  void list_model(uint32_t model);
  void inherit_from_all(uint32_t model);
  void apply_own(BodyId body, bool incomplete);
  /// The bodies that contribute to a model, nearest first: its chain, then its engines. For an
  /// engine, only itself.
  std::vector<BodyId> bodies_of(BodyId body) const;
  source::FileId module_of(BodyId body) const;
  source::Span span_of(BodyId body) const;  // its name; for `default`, that of the engine

  const Vocabulary& vocabulary(BodyId body, uint32_t dimension);
  void check_inherited(BodyId body);
  void check_list(BodyId body, uint32_t dimension, const RuleList& list,
                  const Vocabulary& vocabulary);
  source::Span place_of_inheritance(BodyId body, uint32_t dimension, RuleId rule) const;

  void fill_model(uint32_t model, EngineId engine);
  void fill_costs(uint32_t model, Model& made);
  void fill_tables(uint32_t model, Model& made);
  void fill_images(BodyId body, std::vector<Table> images, Model& made);
  void check_images(const Image& image, const Table& from);
  RuleId image_of_rule(RuleId rule, const RuleList& list);
  void refine(BodyId body, Table& table);
  void report_unknown();
  void sort_order_tables(BodyId body, Model& made);
  std::string lineage_title(BodyId body) const;

  Program& program_;
  const Scope& scope_;
  Expressions& expressions_;
  Tables& tables_;
  Costs& costs_;
  const Lineage& lineage_;
  Budget& budget_;
  diag::Sink& sink_;
  source::FileId kind_module_;
  std::shared_ptr<const RuleList> kind_list_;
  std::vector<Content> contents_;                                   // by BodyId
  std::vector<Lists> lists_;                                        // by BodyId
  std::map<std::pair<BodyId, uint32_t>, Vocabulary> vocabularies_;  // by body and dimension
  std::set<uint32_t> reported_over_;                                // places of models
  Refiner refiner_;
  /// A label that a line of `D from E` lists.
  struct Listed {
    bool known = false;  // some model has it in E
    std::string dimension;
    std::vector<std::string> labels;  // that it may mean
  };
  std::map<std::pair<RuleId, uint32_t>, Listed> listed_;
  /// By `refine`: whether some model gives the label that it splits, and labels that it may mean.
  std::map<const syntax::Rule*, std::pair<bool, std::vector<Label>>> refined_;
  std::map<std::pair<RuleId, RuleId>, RuleId> images_;  // by rule, and rule that gives its label
  /// What `refine` makes of a list that models share.
  std::map<const RuleList*, std::pair<std::shared_ptr<const RuleList>, Table>> shared_refined_;
  std::vector<ModelId> models_;  // by model of the lineage; invalid: not in a root file
};

}  // namespace kr::sema
