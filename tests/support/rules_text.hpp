// Rules files at random: valid, with every form of the language, and with any blanks, line breaks
// and comments between any two tokens.
#pragma once

#include <cctype>
#include <random>
#include <string>
#include <vector>

namespace kr::test {

/// The tokens of a file, those that must touch each other as one.
class RandomRules {
 public:
  explicit RandomRules(uint32_t seed) : random_(seed) {}

  std::vector<std::string> tokens() {
    tokens_.clear();
    for (size_t count = below(8) / 5; count > 0; --count) head();
    for (size_t count = 1 + below(5); count > 0; --count) declaration();
    return tokens_;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }
  template <class... Tokens>
  void put(Tokens... tokens) {
    (tokens_.emplace_back(tokens), ...);
  }
  std::string any(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::string name() { return any({"a", "b2", "gemm", "a-b", "long_name_of_a_thing", "i", "x.y"}); }
  std::string word() {
    return any({"a", "b2", "gemm", "a-b", "a_rather_long_label_of_a_rule", "i"});
  }
  std::string text() {
    return any({R"("a")", R"("gemm")", R"("# no comment")", R"("\"\\\x41")", R"("é {")",
                R"("a text of some length, as names have it<int, 128>")"});
  }
  std::string label() { return one_in(5) ? text() : word(); }

  void expression(size_t depth = 0) {
    for (size_t count = one_in(4) ? 1 + below(9) : 1 + below(2); count > 0; --count) {
      operand(depth);
      if (count > 1) put(any({"|", "|", "&"}));
    }
  }
  void operand(size_t depth) {
    if (one_in(5)) put("!");
    const bool around = one_in(8);
    if (around) put("within");
    if (!around && one_in(12)) return word_operator();
    if (depth < 3 && one_in(4)) {
      put("(");
      expression(depth + 1);
      return put(")");
    }
    switch (below(6)) {
      case 0:
        return put(any({R"(/a\/b/)", R"(/[^\/#]+x/i)", "/(?<step>\\d+) #/", "/ü/"}));
      case 1:
        return put(any({"@kernel", "@memcpy", "@memset"}));
      case 2:
        return put(name());
      case 3:
        return put("^" + text() + any({"", "i", "$", "i$"}));
      default:
        return put(text() + any({"", "i", "$", "i$"}));
    }
  }

  /// Operators that are words.
  void word_operator() {
    switch (below(4)) {
      case 0:
        put("own");
        return put(one_in(2) ? text() : name());
      case 1:
        put("word");
        return put(text() + any({"", "i", "$"}));
      case 2:
        put("phase");
        if (one_in(2)) return put(word());
        return put("(", word(), "|", word(), ")");
      default:
        put("op", text());
        if (one_in(2)) put("(", "[", "K", ",", "6", "]", ",", "_", ")");
    }
  }

  /// What a file requires, or metadata.
  void head() {
    if (!one_in(2)) return metadata();
    put("requires", "kr");
    if (one_in(2)) put(">=");
    put(any({"0.1", "0.0.9", "0.0"}));
  }
  void metadata() { put(any({"author", "since", "link"}), text()); }

  void declaration() {
    if (one_in(20)) return head();
    switch (below(6)) {
      case 0:
        return use();
      case 1:
        put("pattern", word(), "=");
        return expression();
      case 2:
        return labels();
      case 3:
        put("table", word(), "for", word());
        return rules(one_in(4) ? 1 + below(2) : 0);
      case 4:
        put("engine", word());
        if (one_in(2)) put(text());
        put("{");
        for (size_t count = below(5); count > 0; --count) one_in(3) ? model() : body();
        return put("}");
      default:
        return tests();
    }
  }
  void use() {
    put("use", one_in(3) ? text() : name());
    if (one_in(2)) put("as", word());
  }
  void labels() {
    put("labels", word());
    if (one_in(3)) put("extends", name());
    put("{");
    for (size_t count = below(5); count > 0; --count) {
      put(label(), text());
      if (one_in(2)) put("color", "\"#4e79a7\"");
    }
    put("}");
  }
  void rules(size_t metadata_before = 0) {
    put("{");
    for (; metadata_before > 0; --metadata_before) metadata();
    for (size_t count = one_in(3) ? 1 : below(6); count > 0; --count) {
      switch (below(8)) {
        case 0:
        case 1:
          put("include", name());
          break;
        case 2:
          put("otherwise", "keep");
          break;
        case 3:
          put(label(), ":", "otherwise");
          break;
        case 4:
          refine();
          break;
        default:
          put(one_in(8) ? any({"refine", "own", "fold", "test", "link", "since"}) : label(), ":");
          expression();
      }
    }
    put("}");
  }
  void body() {
    if (one_in(8)) return metadata();
    switch (below(5)) {
      case 0:
        put("detect", ":");
        return expression();
      case 1:
        put("phases");
        return rules();
      case 2:
        put("fold");
        expression();
        for (size_t count = below(4); count > 0; --count) {
          put(",");
          expression();
        }
        return;
      case 3:
        put("abbreviate", text(), "as", text());
        for (size_t count = below(4); count > 0; --count) put(",", text(), "as", text());
        return;
      default:
        put(any({"stage", "substage", "kind"}));
        if (one_in(4)) return image();
        rules();
    }
  }
  void refine() {
    put("refine", label(), "{");
    for (size_t count = below(4); count > 0; --count) {
      put(label(), ":");
      expression();
    }
    put("}");
  }
  void image() {
    put("from", word(), "{");
    for (size_t count = below(4); count > 0; --count) {
      put(label(), ":");
      for (size_t labels = 1 + below(6); labels > 0; --labels) put(label());
    }
    if (one_in(2)) put(label(), ":", "otherwise");
    put("}");
  }
  void model() {
    put("model", word());
    if (one_in(2)) put(text());
    if (one_in(3)) put("extends", name());
    put("{");
    for (size_t count = below(4); count > 0; --count) body();
    put("}");
  }
  void tests() {
    put("test", word());
    if (one_in(2)) put("/", word());
    put("{");
    for (size_t count = below(4); count > 0; --count) {
      if (one_in(4)) put("phase", word());
      if (one_in(4)) {
        put("op", text());
        if (one_in(2)) put("(", "[", "4", ",", "8", "]", ")");
      }
      if (one_in(3)) put("@memcpy");
      put(text());
      if (one_in(3)) {
        put("within", text());
        if (one_in(2)) put(",", text());
      }
      put("=>", word(), label());
      if (one_in(2)) put(",", word(), label());
    }
    put("}");
  }

  std::mt19937 random_;
  std::vector<std::string> tokens_;
};

/// Whether two tokens may touch each other: where one of them is a mark by itself. A name and a
/// parenthesis that touch are a call, in a formula.
inline bool may_touch(const std::string& a, const std::string& b) {
  if (b == "(" && std::isalnum(static_cast<unsigned char>(a.back())) != 0) return false;
  const auto mark = [](const std::string& token) {
    return token.size() <= 2 && std::string("{}():=>,|&!").find(token) != std::string::npos;
  };
  return mark(a) || mark(b);
}

enum class Gaps { blanks, lines, comments };

/// The tokens with gaps between them: blanks and single line breaks; blank lines too; comments too.
inline std::string scattered(const std::vector<std::string>& tokens, Gaps gaps, uint32_t seed) {
  static const std::vector<std::string> blanks{" ", "\n", "\t", "  ", "\n    ", " \r\n "};
  static const std::vector<std::string> lines{"\n\n", "\n \n\n\t", "\r\n\r\n"};
  static const std::vector<std::string> comments{
      "# c", "#", "## doc", "# {\"/|", "#\tc \t ", "# long, long, long enough", "### é"};
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  const auto any = [&](const std::vector<std::string>& from) { return from[below(from.size())]; };
  const size_t rarity = 2 + below(20);
  std::string text;
  const auto gap = [&](bool needed) {
    std::string between;
    if (needed || below(3) > 0) between += any(blanks);
    while (gaps != Gaps::blanks && below(rarity) == 0) {
      if (gaps == Gaps::comments && below(3) > 0) {
        between += any(comments) + (below(2) == 0 ? "\n" : "\r\n");
      }
      between += any(below(2) == 0 ? blanks : lines);
    }
    text += between;
  };
  // In `labels`, a text behind a label is its title, and on its line.
  enum class In { other, head, before_label, behind_label, behind_color };
  In in = In::other;
  const auto pass = [&](const std::string& token) {
    if (token == "labels") {
      in = In::head;
    } else if (in == In::head) {
      if (token == "{") in = In::before_label;
    } else if (token == "}") {
      in = In::other;
    } else if (in == In::behind_color) {
      in = In::before_label;
    } else if (token == "color") {
      in = In::behind_color;
    } else if (in == In::before_label) {
      in = In::behind_label;
    } else if (in == In::behind_label) {
      in = token[0] == '"' ? In::before_label : In::behind_label;
    }
  };
  gap(false);
  for (size_t i = 0; i < tokens.size(); ++i) {
    text += tokens[i];
    pass(tokens[i]);
    if (in == In::behind_label && i + 1 < tokens.size() && tokens[i + 1][0] == '"') {
      text += ' ';
      continue;
    }
    gap(i + 1 < tokens.size() && !may_touch(tokens[i], tokens[i + 1]));
  }
  return text;
}

}  // namespace kr::test
