// The words that are possible at the place where the user types.
#include <algorithm>
#include <map>
#include <set>

#include "lsp/cursor.hpp"
#include "lsp/features.hpp"
#include "syntax/words.hpp"

namespace kr::lsp {
namespace {

/// CompletionItemKind of the protocol.
enum class ItemKind : int {
  function = 3,
  field = 5,
  type = 7,
  module = 9,
  property = 10,
  keyword = 14,
  color = 16,
  file = 17,
  member = 20
};

struct Item {
  ItemKind kind = ItemKind::keyword;
  std::string detail;
  std::string doc;
  std::string insert;  // empty: the name itself
};

class Completer {
 public:
  explicit Completer(Question& question)
      : question_(question),
        analysis_(analysis_of(question)),
        file_(analysis_.root().file),
        text_(question.document.document.text),
        cursor_(cursor_at(text_, question.offset)) {
    if (cursor_.block == BlockKind::file) cursor_.over = over_of_pattern();
  }

  void write(Writer& out) {
    if (!collect_codes() && !cursor_.in_comment) {
      cursor_.in_text ? collect_files() : collect();
    }
    write_items(out);
  }

 private:
  const Token* before(size_t back = 0) const {
    const auto& tokens = cursor_.statement;
    return back < tokens.size() ? &tokens[tokens.size() - 1 - back] : nullptr;
  }
  bool before_is(std::string_view text, size_t back = 0) const {
    const Token* token = before(back);
    return token != nullptr && token->text == text;
  }

  /// `pattern NAME over DIMENSION = …`.
  std::string over_of_pattern() const {
    for (size_t back = 0; before(back) != nullptr; ++back) {
      if (!before_is("pattern", back)) continue;
      const bool over = back >= 4 && before_is("over", back - 2) && before_is("=", back - 4);
      return over ? std::string(before(back - 3)->text) : "";
    }
    return "";
  }

  void add(std::string name, Item item) { items_.emplace(std::move(name), std::move(item)); }
  void add_keyword(std::string_view word) {
    add(std::string(word), {ItemKind::keyword, "", std::string(about_word(word)), ""});
  }

  void collect() {
    if (before_is("@")) {
      for (const char* kind : {"kernel", "memcpy", "memset"}) {
        add(kind, {ItemKind::member, "", std::string(about_word("@" + std::string(kind))), ""});
      }
      return;
    }
    if (before_is(".") && before(1) != nullptr) return collect_members();
    switch (cursor_.block) {
      case BlockKind::file:
        return collect_file();
      case BlockKind::engine:
      case BlockKind::model:
        return collect_body();
      case BlockKind::rules:
      case BlockKind::phases:
        return collect_rules();
      case BlockKind::labels:
        return add_keyword("color");
      case BlockKind::test:
        return collect_test();
      case BlockKind::unknown:
        return;
    }
  }

  /// After `alias.`, or `std.` in a `use`.
  void collect_members() {
    std::string head(before(1)->text);
    size_t back = 2;
    while (before_is(".", back) && before(back + 1) != nullptr) {
      head.insert(0, ".").insert(0, before(back + 1)->text);
      back += 2;
    }
    if (before_is("use", back)) return collect_modules(head + ".");
    const auto module = module_named(analysis_, file_, head.substr(0, head.find('.')));
    if (!module) return;
    const syntax::File& tree = analysis_.scope().tree(*module);
    if (before_is("include", back)) return add_tables(tree);
    if (before_is("extends", back)) {
      if (cursor_.block != BlockKind::file) return add_models(tree, head);
      for (const syntax::Labels& labels : tree.labels) {
        add(labels.dimension.text, {ItemKind::type, "labels", labels.doc, ""});
      }
      return;
    }
    add_patterns(tree);
  }

  void collect_modules(const std::string& prefix) {
    for (const std::string& module : question_.workspace.library().modules()) {
      if (!module.starts_with(prefix)) continue;
      add(module.substr(prefix.size()), {ItemKind::module, "", "", ""});
    }
  }

  void collect_file() {
    if (before_is("use")) return collect_modules("");
    if (before_is("requires")) return add_keyword("kr");
    if (before_is("for") || before_is("over")) return add_dimensions();
    if (before_is("labels")) return add_dimensions();
    if (before_is("test")) {
      for (const syntax::Engine& engine : analysis_.tree().engines) add_engine(engine);
      return;
    }
    if (before_is("/") && before_is("test", 2)) {
      return add_models(analysis_.tree(), std::string(before(1)->text));
    }
    if (before_is("extends")) return add_aliases();
    if (wants_expression()) add_expression();
    for (const std::string& word : syntax::file_keywords) add_keyword(word);
    for (const char* word : {"as", "for", "over", "extends"}) add_keyword(word);
  }

  void collect_body() {
    if (before_is("over") || before_is("from")) return add_dimensions();
    if (before_is("extends")) {
      add_models(analysis_.tree(), cursor_.engine);
      return add_aliases();
    }
    if (wants_expression()) add_expression();
    for (const std::string& word : syntax::body_keywords) {
      if (word != "model" || cursor_.block == BlockKind::engine) add_keyword(word);
    }
    for (const char* word : {"as", "over", "from", "extends"}) add_keyword(word);
    add_dimensions();
  }

  void collect_rules() {
    if (before_is("include")) {
      add_tables(analysis_.tree());
      return add_aliases();
    }
    if (before_is("refine")) return add_labels(cursor_.dimension, false);
    if (wants_expression()) {
      add_expression();
      if (before_is(":")) add_keyword("otherwise");
      return;
    }
    add_labels(cursor_.dimension, true);
    for (const std::string& word : syntax::rules_keywords) {
      if (!cursor_.over.empty() || (word != "ignore" && word != "continue")) add_keyword(word);
    }
    // A table of a file.
    if (cursor_.engine.empty()) {
      for (const char* word : {"author", "since", "link"}) add_keyword(word);
    }
  }

  void collect_test() {
    const Token* last = before();
    if (last != nullptr && last->kind == Token::Kind::word) {
      // A word after `=>` or a comma is a dimension; then comes its label.
      if (before_is("=>", 1) || (before_is(",", 1) && !within_list())) {
        return add_labels(std::string(last->text), false);
      }
    }
    if (before_is("=>") || (before_is(",") && !within_list())) return add_dimensions();
    add_keyword("within");
  }

  /// Whether a comma belongs to the texts after `within`.
  bool within_list() const {
    for (size_t back = 0; before(back) != nullptr; ++back) {
      if (before_is("=>", back)) return false;
      if (before_is("within", back)) return true;
    }
    return false;
  }

  bool wants_expression() const {
    for (const std::string_view mark :
         {":", "|", "&", "!", "(", "=", "within", "own", "op", "fold"}) {
      if (before_is(mark)) return true;
    }
    if (cursor_.over.empty()) return false;
    for (const std::string_view mark : {">", "[", "ignore", "continue"}) {
      if (before_is(mark)) return true;
    }
    return false;
  }

  void add_expression() {
    if (!cursor_.over.empty()) {
      for (const char* word : {"_", "start", "end"}) add_keyword(word);
      add_words();
    }
    add_patterns(analysis_.tree());
    add_aliases();
    for (const char* word : {"within", "own", "word", "op", "phase"}) add_keyword(word);
    for (const char* kind : {"@kernel", "@memcpy", "@memset"}) add_keyword(kind);
  }

  void add_aliases() {
    for (const syntax::Use& use : analysis_.tree().uses) {
      const std::string name = sema::use_name(use);
      if (name.empty()) continue;
      const auto module = module_named(analysis_, file_, name);

      add(name, {ItemKind::module, sema::use_text(use),
                 module ? analysis_.scope().tree(*module).doc : "", ""});
    }
  }

  void add_patterns(const syntax::File& tree) {
    for (const syntax::Pattern& pattern : tree.patterns) {
      if (pattern.over && pattern.over->text != cursor_.over) continue;
      std::string doc = pattern.doc;
      const std::string words = describe(tree, pattern.expr);
      if (!words.empty()) doc += (doc.empty() ? "" : "\n\n") + ("Matches a name " + words);
      add(pattern.name.text, {ItemKind::property, "pattern", std::move(doc), ""});
    }
  }

  void add_tables(const syntax::File& tree) {
    for (const syntax::Table& table : tree.tables) {
      const bool fits = cursor_.dimension.empty() || table.dimension.text == cursor_.dimension;
      if (fits)
        add(table.name.text,
            {ItemKind::function, "table for " + table.dimension.text, table.doc, ""});
    }
  }

  void add_engine(const syntax::Engine& engine) {
    add(engine.name.text,
        {ItemKind::type, engine.title ? engine.title->text : "engine", engine.doc, ""});
  }

  /// `head`: the name of an engine of this file, or `alias` or `alias.engine` of another file.
  void add_models(const syntax::File& tree, const std::string& head) {
    const bool own = &tree == &analysis_.tree();
    const size_t dot = head.find('.');
    const std::string engine_name = own ? head : dot == head.npos ? "" : head.substr(dot + 1);
    for (const syntax::Engine& engine : tree.engines) {
      if (!own && engine_name.empty()) add_engine(engine);
      if (!engine_name.empty() && engine.name.text != engine_name) continue;
      add("default", {ItemKind::type, engine.name.text, "Only the engine's own blocks.", ""});
      for (const syntax::Model& model : engine.models) {
        if (own && cursor_.statement.size() > 1 && before_is(model.name.text, 1)) continue;
        add(model.name.text,
            {ItemKind::type, model.title ? model.title->text : "model", model.doc, ""});
      }
    }
  }

  void add_dimensions() {
    std::set<std::string> names{"stage", "substage", "kind"};
    for (const sema::LoadedFile& file : analysis_.rules().files) {
      for (const syntax::Labels& labels : file.tree.labels) names.insert(labels.dimension.text);
    }
    for (const sema::Dimension& dimension : analysis_.program().dimensions)
      names.insert(dimension.name);
    for (const std::string& name : names) add(name, {ItemKind::field, "dimension", "", ""});
  }

  /// The labels of the dimension that order rules look at.
  void add_words() {
    for (const syntax::LabelDecl* known : labels_of(analysis_, file_, cursor_.over)) {
      const std::string& name = known->label.text;
      if (!syntax::is_word(name) || syntax::is_keyword(name)) continue;
      add(name, {ItemKind::member, known->title ? known->title->text : "label", known->doc, ""});
    }
  }

  void add_labels(const std::string& dimension, bool as_rule) {
    const auto put = [&](const std::string& name, std::string detail, std::string doc) {
      const bool word = syntax::is_word(name) && !syntax::is_keyword(name);
      const std::string written = word ? name : syntax::quoted_text(name);
      add(name, {ItemKind::member, std::move(detail), std::move(doc),
                 as_rule ? written + ": "
                 : word  ? ""
                         : written});
    };
    for (const syntax::LabelDecl* known : labels_of(analysis_, file_, dimension)) {
      put(known->label.text, known->title ? known->title->text : "label", known->doc);
    }
    for (const Symbol& symbol : analysis_.symbols(file_)) {
      if (symbol.rule != nullptr && symbol.dimension == dimension &&
          symbol.span.begin != cursor_.word_begin) {
        put(symbol.name, "label", "");
      }
    }
  }

  /// In `use "…`: the files of the same folder.
  void collect_files() {
    const Token* open = before();
    if (open == nullptr || open->kind != Token::Kind::text || !before_is("use", 1)) return;
    if (!question_.document.is_file) return;
    std::error_code error;
    for (std::filesystem::directory_iterator at(question_.document.path.parent_path(), error), end;
         !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (at->path().extension() == ".kr" && at->path() != question_.document.path) {
        add("./" + name, {ItemKind::file, "", "", ""});
      }
    }
    begin_ = open->begin + 1;
  }

  /// In `# kr: allow(…`. False: the place is not in such a comment.
  bool collect_codes() {
    const Lines& lines = question_.document.document.lines;
    const auto number = lines.place(text_, question_.offset, Encoding::utf8).line;
    const auto [begin, end] = lines.line(text_, number);
    if (!cursor_.in_comment || question_.offset < begin) return false;
    const auto word = code_in_allow(text_.substr(begin, end - begin), question_.offset - begin);
    if (!word) return false;
    begin_ = begin + word->first;
    for (const diag::CodeInfo& info : diag::all_codes()) {
      if (info.severity == diag::Severity::retired || info.id < "KR300") continue;
      add(std::string(info.name), {ItemKind::member, std::string(info.id), about_code(info), ""});
    }
    return true;
  }

  void write_items(Writer& out) const {
    const Document& document = question_.document.document;
    const size_t begin = begin_.value_or(cursor_.word_begin);
    const Range range{document.lines.place(text_, begin, question_.encoding),
                      document.lines.place(text_, question_.offset, question_.encoding)};
    out.open('[');
    for (const auto& [name, item] : items_) {
      out.open('{');
      out.key("label").text(name);
      out.key("kind").number(static_cast<int>(item.kind));
      if (!item.detail.empty()) out.key("detail").text(item.detail);
      if (!item.doc.empty()) out.key("documentation").markdown(item.doc);
      out.key("textEdit").edit(range, item.insert.empty() ? name : item.insert);
      out.close('}');
    }
    out.close(']');
  }

  Question& question_;
  const Analysis& analysis_;
  source::FileId file_;
  std::string_view text_;
  Cursor cursor_;
  std::map<std::string, Item> items_;
  std::optional<size_t> begin_;  // of the replaced text, if it is not the word
};

}  // namespace

void write_completion(Question question, Writer& out) {
  Completer(question).write(out);
}

}  // namespace kr::lsp
