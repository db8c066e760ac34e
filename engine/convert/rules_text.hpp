// A rules file that is being written: what stands in it, before it is text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "convert/words.hpp"

namespace kr::convert {

struct RuleText {
  std::string label;
  std::vector<std::string> atoms;  // joined by `|`
  bool always = false;
  bool otherwise = false;
  std::string comment;  // in the place of a rule, which is then nothing else

  friend bool operator==(const RuleText&, const RuleText&) = default;
};

struct BlockText {
  std::string dimension;
  std::vector<RuleText> rules;
};

struct ModelText {
  std::string name;
  std::string title;
  std::string doc;
  std::vector<BlockText> blocks;

  BlockText* block(const std::string& dimension);
  const BlockText* block(const std::string& dimension) const;
};

struct EngineText {
  std::string name;
  std::string title;
  std::vector<BlockText> blocks;
  std::vector<ModelText> models;
};

struct LabelsText {
  std::string dimension;
  std::vector<std::string> labels;  // in the order first given
  std::set<std::string> known = {};

  void add(const std::string& label);
};

struct RulesText {
  std::string doc;
  std::vector<LabelsText> labels;
  std::vector<EngineText> engines;
};

/// In the canonical layout.
std::string to_text(const RulesText& rules);

}  // namespace kr::convert
