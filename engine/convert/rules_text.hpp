// Rules files that are written: their content before it is text, and the names in them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kr::convert {

struct RuleText {
  std::string label;
  std::vector<std::string> atoms;  // joined by `|`
  bool always = false;
  bool otherwise = false;
  std::string comment;  // a comment in place of a rule; the other members are then empty

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

  /// Null if the model has no block for the dimension.
  BlockText* block(const std::string& dimension);
};

struct EngineText {
  std::string name;
  std::string title;
  std::vector<BlockText> blocks;
  std::vector<ModelText> models;
};

struct LabelsText {
  std::string dimension;
  std::vector<std::string> labels;  // in the order of the first use
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

/// The most similar valid name: `_` in place of bytes that a name may not have.
std::string word_like(std::string_view text);

/// The name itself, or with `_2`, `_3`, … appended: the first that is not taken.
std::string unused(const std::string& name, const std::function<bool(const std::string&)>& taken);

}  // namespace kr::convert
