#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json_read.hpp"
#include "base/printable.hpp"
#include "convert/rules_text.hpp"
#include "sema/program.hpp"
#include "syntax/words.hpp"

namespace kr::convert {
namespace {

using Kind = JsonValue::Kind;

constexpr std::string_view shape_help =
    "give {engine: {model: {pattern: label}}}, or a list of {engine, model, rules: [[pattern, "
    "label]]}";

class Reader {
 public:
  Reader(const source::SourceMap& sources, source::FileId file, diag::Sink& sink)
      : sources_(sources), file_(file), sink_(sink) {}

  std::vector<EngineText> read() {
    const std::string_view text = sources_.text(file_);
    const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    // A file that cannot begin JSON is another kind of file, not JSON with a mistake.
    constexpr std::string_view begins = "{[\"-0123456789tfn";
    if (first != text.npos && begins.find(text[first]) == begins.npos) {
      throw Error(sources_.path(file_), "this is not JSON",
                  fmt::format("{}; rules in kr's own language need no import", shape_help));
    }
    const JsonValue whole = parse_json(sources_.text(file_), sources_.path(file_));
    if (whole.kind == Kind::object) {
      engines(whole);
    } else if (whole.kind == Kind::array) {
      for (const JsonValue& item : whole.items) listed(item);
    } else {
      fail(whole.begin, "tables of patterns are an object or a list, but this is {}", whole.kind);
    }
    bool any = false;
    each_rule([&](const RuleText&) { any = true; });
    if (!any) {
      throw Error(sources_.path(file_), "it contains no rule", std::string(shape_help));
    }
    settle_labels();
    return std::move(engines_);
  }

 private:
  void require(const JsonValue& value, Kind kind, fmt::format_string<std::string_view> why) {
    if (value.kind != kind) fail(value.begin, why, value.kind);
  }

  [[noreturn]] void fail(uint64_t at, fmt::format_string<std::string_view> why, Kind kind) {
    const auto position = sources_.position(file_, static_cast<uint32_t>(at));
    throw Error(sources_.path(file_), Error::Place{position.line, at},
                fmt::format(why, to_string(kind)), std::string(shape_help));
  }

  /// The span of a string, with its quotes.
  source::Span span(uint64_t begin) const {
    const std::string_view text = sources_.text(file_);
    size_t end = begin + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return {file_, static_cast<uint32_t>(begin),
            static_cast<uint32_t>(std::min(end + 1, text.size()))};
  }

  struct Settled {
    const JsonMember* member;
    uint64_t begin;  // of the first of equal keys
  };

  /// Members as in a Python dict: each key once.
  std::vector<Settled> settled(const JsonValue& object) {
    std::map<std::string_view, size_t> index;
    std::vector<Settled> members;
    for (const JsonMember& member : object.members) {
      const auto [at, added] = index.emplace(member.key, members.size());
      if (added) {
        members.push_back({&member, member.key_begin});
        continue;
      }
      Settled& first = members[at->second];
      sink_.add(diag::code::import_duplicate_key, span(member.key_begin), excerpt(member.key, 60))
          .related(span(first.begin), "this is its place, with the value of the last");
      first.member = &member;
    }
    return members;
  }

  void engines(const JsonValue& whole) {
    for (const auto& [engine, at] : settled(whole)) {
      require(engine->value, Kind::object, "an engine is an object of models, but this is {}");
      EngineText& read = engine_named(engine->key, span(engine->key_begin));
      for (const auto& [model, begin] : settled(engine->value)) {
        require(model->value, Kind::object, "a model is an object of patterns, but this is {}");
        ModelText& into = model_named(read, model->key, span(model->key_begin));
        fill(into, model->value);
      }
    }
  }

  void fill(ModelText& model, const JsonValue& object) {
    const auto members = settled(object);
    const bool nested = !members.empty() && members.front().member->value.kind == Kind::object;
    if (!nested) {
      model.blocks.push_back({"substage", rules(members)});
      return;
    }
    for (const auto& [member, at] : members) {
      require(member->value, Kind::object,
              "a model with dimensions contains only dimensions, but this is {}");
      if (member->key == "layer_anno") {
        for (const auto& [table, begin] : settled(member->value)) add_table(model, *table);
      } else {
        add_table(model, *member);
      }
    }
  }

  void add_table(ModelText& model, const JsonMember& member) {
    require(member.value, Kind::object, "a dimension is an object of patterns, but this is {}");
    const std::string dimension = lowered(member.key);
    std::string name = word_like(dimension);
    // The labels of `kind` are fixed: a table has other labels.
    if (syntax::is_keyword(name) || name == "kind") name += '_';
    name = unused_name(name, model.blocks, &BlockText::dimension);
    if (name != dimension) report_renamed("dimension", member.key, span(member.key_begin), name);
    model.blocks.push_back({name, rules(settled(member.value))});
  }

  /// The name itself, or with `_2`, `_3`, … appended: the first that no item has.
  template <class Item>
  static std::string unused_name(const std::string& name, const std::vector<Item>& items,
                                 std::string Item::*member) {
    std::string next = name;
    const auto is_taken = [&](const Item& item) { return item.*member == next; };
    for (size_t number = 2; std::any_of(items.begin(), items.end(), is_taken); ++number) {
      next = fmt::format("{}_{}", name, number);
    }
    return next;
  }

  void report_renamed(std::string_view what, std::string_view found, source::Span where,
                      std::string_view name) {
    sink_.add(diag::code::import_renamed, where, what, excerpt(found, 60), name);
  }

  RuleText rule(const std::string& pattern, const std::string& label, uint64_t begin) const {
    return {.label = label, .atoms = {pattern}, .span = span(begin)};
  }

  std::vector<RuleText> rules(const std::vector<Settled>& members) {
    std::vector<RuleText> rules;
    for (const auto& [member, begin] : members) {
      require(member->value, Kind::string, "a label is a string, but this is {}");
      rules.push_back(rule(member->key, member->value.string, begin));
    }
    return rules;
  }

  void listed(const JsonValue& item) {
    require(item, Kind::object, "an element of the list is an object, but this is {}");
    // If a member is missing, the message names the item.
    const auto member = [&](std::string_view key) -> const JsonValue& {
      const JsonValue* value = item.find(key);
      return value != nullptr ? *value : item;
    };
    const JsonValue& engine = member("engine");
    require(engine, Kind::string, "`engine` is a string, but this is {}");
    const JsonValue& model = member("model");
    require(model, Kind::string, "`model` is a string, but this is {}");
    const JsonValue& list = member("rules");
    require(list, Kind::array, "`rules` is a list, but this is {}");
    EngineText& into = engine_named(engine.string, span(engine.begin));
    ModelText& read = model_named(into, model.string, span(model.begin));
    read.doc = origin(item);
    BlockText table{"substage", {}};
    for (const JsonValue& rule : list.items) {
      if (rule.kind != Kind::array || rule.items.size() != 2 ||
          rule.items[0].kind != Kind::string || rule.items[1].kind != Kind::string) {
        fail(rule.begin,
             "a rule is a list of a pattern and a label, but this is {} of another form",
             rule.kind);
      }
      table.rules.push_back(
          this->rule(rule.items[0].string, rule.items[1].string, rule.items[0].begin));
    }
    read.blocks.push_back(std::move(table));
  }

  static std::string origin(const JsonValue& item) {
    std::string doc;
    const auto add = [&](std::string_view key, std::string_view before) {
      const JsonValue* value = item.find(key);
      if (value == nullptr || value->kind != Kind::string || value->string.empty()) return;
      if (!doc.empty()) doc += before;
      doc += printable(value->string);
    };
    add("system", "");
    add("repo", ": ");
    add("path", " ");
    add("commit", " at ");
    add("licence", ", ");
    add("note", "\n");
    return doc;
  }

  EngineText& engine_named(const std::string& found, source::Span where) {
    const auto known = engine_of_.find(found);
    if (known != engine_of_.end()) return engines_[known->second];
    const std::string name = unused_name(word_like(found), engines_, &EngineText::name);
    if (name != found) report_renamed("engine", found, where, name);
    engine_of_.emplace(found, engines_.size());
    engines_.push_back({name, name == found ? "" : found, {}, {}});
    return engines_.back();
  }

  ModelText& model_named(EngineText& engine, const std::string& found, source::Span where) {
    std::string name = word_like(found);
    if (name == "default") name += '_';  // every engine has its own model `default`
    name = unused_name(name, engine.models, &ModelText::name);
    if (name != found) report_renamed("model", found, where, name);
    engine.models.push_back({name, name == found ? "" : found, "", {}});
    return engine.models.back();
  }

  /// A label that a rules file cannot give gets another name, the same in all tables.
  void settle_labels() {
    std::set<std::string> used;
    each_rule([&](RuleText& rule) { used.insert(rule.label); });
    std::map<std::string, std::string> renamed;
    each_rule([&](RuleText& rule) {
      const std::string found = rule.label;
      if (!rule.label.empty() && !is_reserved(rule.label)) return;
      auto [at, added] = renamed.emplace(found, "");
      if (added) {
        std::string name = found + '_';
        while (used.contains(name)) name += '_';
        used.insert(name);
        at->second = name;
        sink_.add(diag::code::import_reserved_label, rule.span, found.empty() ? "\"\"" : found,
                  name);
      }
      rule.label = at->second;
    });
  }

  static bool is_reserved(std::string_view label) {
    constexpr std::array all{sema::reserved::unclassified, sema::reserved::others,
                             sema::reserved::self, sema::reserved::non_gpu};
    return std::find(all.begin(), all.end(), label) != all.end();
  }

  template <class Act>
  void each_rule(Act act) {
    for (EngineText& engine : engines_) {
      for (ModelText& model : engine.models) {
        for (BlockText& table : model.blocks) {
          for (RuleText& rule : table.rules) act(rule);
        }
      }
    }
  }

  const source::SourceMap& sources_;
  source::FileId file_;
  diag::Sink& sink_;
  std::vector<EngineText> engines_;
  std::map<std::string, size_t> engine_of_;
};

}  // namespace

std::vector<EngineText> read_pattern_tables(const source::SourceMap& sources, source::FileId file,
                                            diag::Sink& sink) {
  return Reader(sources, file, sink).read();
}

}  // namespace kr::convert
