#include "coverage/label_words.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.hpp"
#include "coverage/name_parts.hpp"

namespace kr::coverage {
namespace {

// The weights of words, divided by the number of labels that have the word. A label with all of its
// own words in the name gets `whole_name` in addition.
constexpr int in_name = 48;
constexpr int in_title = 36;
constexpr int in_doc = 24;
constexpr int learnt = 24;
constexpr int whole_name = 24;
/// A smaller sum does not indicate a label.
constexpr int least = 12;
/// A learnt word is in at least this many names.
constexpr int min_names = 2;

constexpr std::array filler{"chang",  "above", "after", "all",  "and",   "any",  "are",   "before",
                            "belong", "class", "every", "for",  "from",  "fuse", "into",  "its",
                            "librar", "like",  "look",  "name", "nobod", "not",  "other", "own",
                            "part",   "singl", "stand", "tell", "that",  "the",  "them",  "their",
                            "thos",   "what",  "which", "with"};

/// The part that the spellings of a word share: `quantise`, `quantized`.
std::string stem(std::string word) {
  std::replace(word.begin(), word.end(), 'z', 's');
  const auto cut = [&word](std::string_view ending, size_t left) {
    const bool cuts = word.size() >= ending.size() + left && word.ends_with(ending);
    if (cuts) word.resize(word.size() - ending.size());
    return cuts;
  };
  if (!word.ends_with("ss")) cut("s", 3);
  if (cut("ation", 4) || cut("ing", 4) || cut("ed", 4) || cut("er", 4)) return word;
  if (cut("ie", 3)) return word + 'y';
  cut("e", 3);
  return word;
}

bool is_filler(const std::string& stem) {
  return stem.size() < 3 || std::find(filler.begin(), filler.end(), stem) != filler.end();
}

/// The words of a text. Words joined by a hyphen are one: `top-k` is `topk`.
std::vector<std::string> prose_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_letter(c) || is_digit(c)) {
      words.back() += lower(c);
    } else if (c != '-' && !words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct StemmedWord {
  std::string word;  // as in the name, in lower case
  std::string stem;
};

/// A word of an identifier, also joined with the next word: `all_reduce` is `allreduce` too.
struct WordPair {
  StemmedWord joined;  // empty at the end of an identifier
  StemmedWord single;
  bool descriptive = false;
};
std::vector<WordPair> word_pairs(const NameParts& parts, bool with_arguments) {
  std::vector<WordPair> pairs;
  const auto add = [&pairs](std::string_view identifier) {
    const auto words = words_of(identifier);
    for (size_t i = 0; i < words.size(); ++i) {
      WordPair& pair = pairs.emplace_back();
      pair.single = {words[i].text, stem(words[i].text)};
      pair.descriptive = words[i].descriptive;
      if (i + 1 == words.size()) continue;
      const std::string joined = words[i].text + words[i + 1].text;
      pair.joined = {joined, stem(joined)};
    }
  };
  add(parts.base);
  if (!with_arguments) return pairs;
  for (const std::string& argument : parts.arguments) add(argument);
  return pairs;
}

/// Labels whose rules check only the kind of an operation: no word of a kernel indicates them.
std::set<std::string> labels_of_kinds(const sema::Program& program, const sema::Table& table) {
  std::set<std::string> labels;
  std::set<std::string> others;
  for (const sema::RuleId id : table.rules) {
    const sema::Rule& rule = program.rules.get(id);
    const bool by_kind = program.exprs.get(rule.expr).op == sema::ExprOp::operation;
    (by_kind ? labels : others).insert(rule.label);
  }
  for (const std::string& label : others) labels.erase(label);
  return labels;
}

}  // namespace

LabelWords::LabelWords(const sema::Program& program, sema::DimensionId dimension,
                       const sema::Table* table) {
  std::string fallback;
  if (table != nullptr && table->otherwise) {
    fallback = program.rules.get(*table->otherwise).label;  // empty: names are kept
  }
  std::vector<sema::Label> labels =
      table != nullptr ? table->vocabulary : std::vector<sema::Label>();
  if (table != nullptr && !table->closed) {
    std::set<std::string> seen;
    for (const sema::RuleId id : table->rules) {
      const std::string& label = program.rules.get(id).label;
      if (!label.empty() && seen.insert(label).second) labels.emplace_back().name = label;
    }
  }
  placeholder_ = !fallback.empty()                   ? fallback
                 : table != nullptr && table->closed ? labels.back().name
                                                     : std::string("unknown");
  const std::set<std::string> of_kinds =
      table != nullptr ? labels_of_kinds(program, *table) : std::set<std::string>();
  for (const sema::Label& label : labels) {
    if (label.name == placeholder_ || of_kinds.contains(label.name)) continue;
    for (const NameWord& word : words_of(label.name)) {
      own_words_[label.name].push_back(stem(word.text));
    }
    add(label.name, label.name, in_name);
    add(label.name, label.title, in_title);
    add(label.name, label.doc, in_doc);
  }
  for (const sema::Test& test : program.tests) {
    for (const sema::Expectation& expected : test.expected) {
      if (expected.dimension == dimension) learn(test.name, expected.label);
    }
  }
}

void LabelWords::add(const std::string& label, std::string_view text, int weight) {
  std::string spelled(text);
  std::replace(spelled.begin(), spelled.end(), '_', ' ');
  for (const std::string& word : prose_words(spelled)) {
    const std::string key = stem(word);
    if (is_filler(key)) continue;
    int& counts = words_[key].weights[label];
    counts = std::max(counts, weight);
  }
}

void LabelWords::learn(std::string_view name, std::string_view label) {
  if (label == placeholder_ || !own_words_.contains(std::string(label))) return;
  std::set<std::string> stems;
  // Arguments are mostly traits, policies and parameters, which occur in kernels of all labels.
  for (const WordPair& pair : word_pairs(parts_of(name), false)) {
    if (pair.descriptive) stems.insert(pair.single.stem);
    stems.insert(pair.joined.stem);
  }
  for (const std::string& one : stems) {
    if (!is_filler(one)) ++words_[one].names[std::string(label)];
  }
}

/// The weight of one word by label.
std::map<std::string, int> LabelWords::weights_of(const std::string& word) const {
  std::map<std::string, int> weights;
  const auto take = [&](const Entry& entry) {
    for (const auto& [label, weight] : entry.weights) {
      int& counts = weights[label];
      counts = std::max(counts, weight / static_cast<int>(entry.weights.size()));
    }
  };
  const auto known = words_.find(word);
  if (known != words_.end()) take(known->second);
  if (weights.empty()) {
    // `rmsnorm` ends in `norm`, `quant` begins `quantisation`.
    for (const auto& [other, entry] : words_) {
      const bool begins = std::min(word.size(), other.size()) >= 5 &&
                          (word.starts_with(other) || other.starts_with(word));
      if (begins || (other.size() >= 4 && word.ends_with(other))) take(entry);
    }
  }
  if (weights.empty() && known != words_.end() && known->second.names.size() == 1 &&
      known->second.names.begin()->second >= min_names) {
    weights[known->second.names.begin()->first] = learnt;
  }
  return weights;
}

LabelProposal LabelWords::propose(std::string_view name) const {
  std::map<std::string, int> sums;
  std::map<std::string, std::vector<std::string>> why;
  std::set<std::string> seen;
  const auto count = [&](const StemmedWord& word) {
    if (is_filler(word.stem) || !seen.insert(word.stem).second) return;
    for (const auto& [label, weight] : weights_of(word.stem)) {
      sums[label] += weight;
      why[label].push_back(word.word);
    }
  };
  const std::vector<WordPair> pairs = word_pairs(parts_of(name), true);
  for (size_t i = 0; i < pairs.size(); ++i) {
    // `all_reduce` indicates communication; its `reduce` alone would not.
    const auto joined = words_.find(pairs[i].joined.stem);
    if (joined != words_.end() && !joined->second.weights.empty()) {
      count(pairs[i++].joined);
    } else if (pairs[i].descriptive) {
      count(pairs[i].single);
    }
  }
  for (auto& [label, sum] : sums) {
    const auto& own = own_words_.at(label);
    const auto is_seen = [&](const std::string& word) { return seen.contains(word); };
    if (std::all_of(own.begin(), own.end(), is_seen)) sum += whole_name;
  }
  int most = least - 1;
  std::vector<std::string> best;
  for (const auto& [label, sum] : sums) {
    if (sum > most) best.clear();
    if (sum >= most && sum >= least) best.push_back(label);
    most = std::max(most, sum);
  }
  if (best.size() != 1) return {placeholder_, {}};
  return {best[0], why.at(best[0])};
}

}  // namespace kr::coverage
