#include "lsp/server.hpp"

#include <doctest/doctest.h>

#include "session.hpp"

using namespace kr;
using kr::test::Session;
using Strings = std::vector<std::string>;

namespace {

constexpr std::string_view rules = R"(use std.comm

labels substage {
  ## Dense products.
  gemm "Dense GEMM" color "#4e79a7"
  moe  "Experts"
  misc "Rest"
}

pattern grouped = "group_gemm" | /fused_moe(_gptq)?/

table shared for substage {
  moe: grouped
}

engine e "E" {
  detect: "e"
  substage {
    gemm: "gemm"
    moe:  "group_gemm_starts" | comm.any
    misc: otherwise
  }
  model m "M" {
    substage { include shared }
  }
}

test e/m { "group_gemm" => substage moe }
)";

std::string hover(Session& session, std::string_view text, std::string_view needle) {
  const JsonValue result = session.result("textDocument/hover", Session::at(text, needle));
  if (result.kind == JsonValue::Kind::null) return "";
  return result.find("contents")->find("value")->string;
}

Strings completion(Session& session, std::string_view text_with_bar) {
  const size_t bar = text_with_bar.find("‸");
  REQUIRE(bar != text_with_bar.npos);
  std::string text(text_with_bar);
  text.replace(bar, std::string_view("‸").size(), "");
  session.open(text);
  const std::string_view before = std::string_view(text).substr(0, bar);
  const auto line = std::count(before.begin(), before.end(), '\n');
  const JsonValue items = session.result(
      "textDocument/completion",
      fmt::format(
          R"({{"textDocument":{{"uri":"untitled:a.kr"}},"position":{{"line":{},"character":{}}}}})",
          line, bar - (before.rfind('\n') + 1)));
  Strings names;
  for (const JsonValue& item : items.items) names.push_back(item.find("label")->string);
  return names;
}

bool has(const Strings& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string target(Session& session, std::string_view needle, size_t plus = 0) {
  const JsonValue result =
      session.result("textDocument/definition", Session::at(rules, needle, "untitled:a.kr", plus));
  if (result.kind == JsonValue::Kind::null) return "";
  const std::string& uri = result.find("uri")->string;
  return uri.substr(uri.rfind('/') + 1) + " " + Session::place(*result.find("range"));
}

}  // namespace

TEST_CASE("states of the server") {
  lsp::Server server(source::Library({}), "0.0");
  const auto code = [&](std::string_view message) -> int64_t {
    const auto answers = server.receive(message);
    if (answers.size() != 1) return -1;
    const JsonValue answer = parse_json(answers[0], "");
    const JsonValue* error = answer.find("error");
    return error == nullptr ? 0 : error->find("code")->integer;
  };
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}})") == -32002);
  CHECK(server.receive(R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}})").empty());
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})") ==
        0);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})") == -32600);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"no/such","params":{}})") == -32601);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover"})") == -32602);
  CHECK(code("{") == -32700);
  CHECK(code("[]") == -32600);
  CHECK(
      server.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})").empty());
  CHECK(server.receive(R"({"jsonrpc":"2.0","id":9,"result":null})").empty());
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"shutdown"})") == 0);
  CHECK(code(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}})") == -32600);
  CHECK(!server.exit_status());
  CHECK(server.receive(R"({"jsonrpc":"2.0","method":"exit"})").empty());
  CHECK(server.exit_status() == 0);

  lsp::Server other(source::Library({}), "0.0");
  CHECK(other.receive(R"({"jsonrpc":"2.0","method":"exit"})").empty());
  CHECK(other.exit_status() == 1);
}

TEST_CASE("the encoding of places") {
  for (const std::string_view encoding : {"utf-8", "utf-16"}) {
    Session session(encoding);
    session.open("pattern é = \"😀\" x\nengine e { substage { a: otherwise } }\n");
    REQUIRE(!session.findings().empty());
    // What is wrong in the first line has its place in units of the encoding.
    CHECK(session.last_findings[0].find("range")->find("start")->find("line")->integer == 0);
  }
}

TEST_CASE("findings follow the text") {
  Session session;
  session.open("engine e {\n  substage {\n    gemm: gemmm\n    misc: otherwise\n  }\n}\n");
  CHECK(session.findings() == Strings{"KR206 2:10-2:15"});
  CHECK(session.version == 1);
  // The edit makes `"gemm"` of it.
  session.notify("textDocument/didChange",
                 R"({"textDocument":{"uri":"untitled:a.kr","version":2},"contentChanges":[
                   {"range":{"start":{"line":2,"character":10},"end":{"line":2,"character":15}},"text":"\"gemm"},
                   {"range":{"start":{"line":2,"character":15},"end":{"line":2,"character":15}},"text":"\""}]})");
  for (const std::string& one : session.findings()) CHECK(!one.starts_with("KR2"));
  CHECK(session.version == 2);
  session.notify(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"untitled:a.kr","version":3},"contentChanges":[{"text":"engine"}]})");
  CHECK(session.findings() == Strings{"KR101 0:6-0:6"});
  session.notify("textDocument/didClose", R"({"textDocument":{"uri":"untitled:a.kr"}})");
  REQUIRE(!session.received.empty());
  CHECK(session.received.back().find("method")->string == "textDocument/publishDiagnostics");
  CHECK(session.received.back().find("params")->find("diagnostics")->items.empty());
  CHECK(!session.server.has_work());
}

TEST_CASE("a change concerns the documents that read the file, from the editor's text") {
  Session session;
  const std::string_view user = "file:///no/such/folder/user.kr";
  const std::string_view used = "file:///no/such/folder/used.kr";
  session.open("use \"./used.kr\"\nengine e { substage { a: used.p  b: otherwise } }\n", user);
  CHECK(session.findings(user) == Strings{"KR201 0:4-0:15"});
  session.open("pattern p = \"x\"\n", used);
  for (const std::string& one : session.findings(user)) CHECK(!one.starts_with("KR2"));
  session.open("pattern q = \"x\"\n", used);
  CHECK(session.findings(user) == Strings{"KR206 1:30-1:31"});
  // Errors in the used file are shown at the `use`.
  session.open("pattern p = \n", used);
  CHECK(session.findings(user) == Strings{"- 0:0-0:15"});
}

TEST_CASE("hover shows what a rule matches, and the names that only it matches") {
  Session session;
  session.open(rules);
  const std::string dead = hover(session, rules, "moe:  \"group");
  CHECK(dead.find("**moe** label of `substage`: “Experts”") != dead.npos);
  CHECK(dead.find("contains `group_gemm_starts`") != dead.npos);
  CHECK(dead.find("`e/default`: `\"") != dead.npos);
  const std::string gemm = hover(session, rules, "gemm: \"gemm\"");
  CHECK(gemm.find("`e/default`: `\"gemm\"`") != gemm.npos);
  const std::string pattern = hover(session, rules, "grouped =");
  CHECK(pattern.find("matches `/fused_moe(_gptq)?/`") != pattern.npos);
  CHECK(pattern.find("Shortest name: `\"fused_moe\"`") != pattern.npos);
  const std::string label = hover(session, rules, "gemm \"Dense");
  CHECK(label.find("“Dense GEMM”, colour `#4e79a7`") != label.npos);
  CHECK(label.find("Dense products.") != label.npos);
  CHECK(label.find("Given by `untitled:a.kr:19`") != label.npos);
  CHECK(hover(session, rules, "otherwise").find("evaluated last") != std::string::npos);
  CHECK(hover(session, rules, "\"group_gemm_starts\"") ==
        "Matches a name that contains `group_gemm_starts`");
  CHECK(hover(session, rules, "std.comm").find("**module std.comm**") == 0);

  constexpr std::string_view never =
      "engine e { substage {\n a: \"gemm\"\n b: \"group_gemm\"\n c: otherwise } }\n";
  session.open(never);
  CHECK(hover(session, never, "b: ")
            .find("**never reached**: its names go to `a` (untitled:a.kr:2)") != std::string::npos);
  constexpr std::string_view allowed =
      "# kr: allow-file(unused-use, KR312) why\nengine e { substage { a: otherwise } } # @memcpy\n";
  session.open(allowed);
  CHECK(hover(session, allowed, "KR312").find("KR312 unused-use") != std::string::npos);
  CHECK(hover(session, allowed, "why") == "");
  CHECK(hover(session, allowed, "memcpy") == "");
}

TEST_CASE("hover shows metadata of the nearest that has it") {
  Session session;
  constexpr std::string_view text = R"(requires kr >= 0.0.9
author "A" author "B"
engine e "E" {
  link "https://e" link "https://f"
  since "2026-11"
  substage { include t a: otherwise }
  model m "M" { author "C" }
}
table t for substage { since "2026-01" a: "x" }
)";
  session.open(text);
  CHECK(hover(session, text, "e \"E") ==
        "**engine e**: “E”\n\nAuthor: `A`, `B`  \nSince: `2026-11`  \nLink: <https://e>, "
        "<https://f>");
  CHECK(hover(session, text, "m \"M") ==
        "**model m**: “M”\n\nAuthor: `C`  \nSince: `2026-11`  \nLink: <https://e>, <https://f>");
  CHECK(hover(session, text, "t for").find("Author: `A`, `B`  \nSince: `2026-01`") !=
        std::string::npos);
  CHECK(hover(session, text, "since \"2026-11").find("the date since which") != std::string::npos);
  CHECK(hover(session, text, "requires").find("least version of kr") != std::string::npos);
}

TEST_CASE("definitions, in the file and across files") {
  Session session;
  session.open(rules);
  CHECK(target(session, "grouped\n}") == "untitled:a.kr 9:8-9:15");
  CHECK(target(session, "shared }") == "untitled:a.kr 11:6-11:12");
  CHECK(target(session, "moe: grouped") == "untitled:a.kr 5:2-5:5");
  CHECK(target(session, "e/m {") == "untitled:a.kr 15:7-15:8");
  CHECK(target(session, "m { \"group") == "untitled:a.kr 22:8-22:9");
  CHECK(target(session, "std.comm") == "comm.kr 0:0-0:0");
  CHECK(target(session, "any\n").starts_with("comm.kr "));
  CHECK(target(session, "comm.any") == "comm.kr 0:0-0:0");
  CHECK(target(session, "substage moe") == "untitled:a.kr 2:7-2:15");
  CHECK(target(session, "\"E\"") == "");

  std::string params = Session::at(rules, "grouped =");
  params.back() = ',';
  const JsonValue all = session.result("textDocument/references",
                                       params + R"("context":{"includeDeclaration":true}})");
  CHECK(all.items.size() == 2);
  const JsonValue uses = session.result("textDocument/references",
                                        params + R"("context":{"includeDeclaration":false}})");
  CHECK(uses.items.size() == 1);
}

TEST_CASE("the outline") {
  Session session;
  session.open(rules);
  const JsonValue result =
      session.result("textDocument/documentSymbol", R"({"textDocument":{"uri":"untitled:a.kr"}})");
  Strings names;
  for (const JsonValue& one : result.items) names.push_back(one.find("name")->string);
  CHECK(names == Strings{"std.comm", "substage", "grouped", "shared", "e", "test e/m"});
  const JsonValue& engine = result.items[4];
  REQUIRE(engine.find("children")->items.size() == 2);
  CHECK(engine.find("children")->items[0].find("children")->items.size() == 3);
}

constexpr std::string_view order_rules = R"(labels substage { gemm "Dense" norm attn rest }

pattern norms over substage = (norm | "rsqrt") & !"bwd"

engine e {
  substage {
    norm: "norm"
    rest: otherwise
  }
  part over substage {
    ignore rest
    qkv: norms+ > [gemm] > _? > attn | "x"
    otherwise keep
  }
}
)";

TEST_CASE("order rules: hover, definition and uses of labels as words") {
  Session session;
  session.open(order_rules);
  CHECK(hover(session, order_rules, "qkv:") ==
        "**qkv** label of `part`\n\nThis rule matches operations that follow each other on a "
        "stream:\n\n1. one or more that matches `norms`\n2. one that matches `gemm` — **gets the "
        "label**\n3. perhaps one that is any operation\n4. one that matches `attn` or contains "
        "`x`\n\nShortest match: `norm > [gemm] > attn`");
  CHECK(hover(session, order_rules, "norms over") ==
        "**pattern norms**\n\nMatches an operation that (matches `norm` or contains `rsqrt`) and "
        "not (contains `bwd`)");
  CHECK(hover(session, order_rules, "gemm] >").find("**gemm** label of `substage`: “Dense”") == 0);
  CHECK(hover(session, order_rules, "ignore").find("chains of this block") != std::string::npos);
  CHECK(hover(session, order_rules, "over substage {").find("order rules") != std::string::npos);

  const JsonValue declared =
      session.result("textDocument/definition", Session::at(order_rules, "gemm] >"));
  CHECK(declared.find("range")->find("start")->find("line")->integer == 0);
  CHECK(declared.find("range")->find("start")->find("character")->integer == 18);
  const auto uses = [&](std::string_view needle) {
    std::string params = Session::at(order_rules, needle);
    params.insert(params.size() - 1, R"(,"context":{"includeDeclaration":true})");
    return session.result("textDocument/references", params).items.size();
  };
  CHECK(uses("norm attn") == 3);  // declared; a word of the pattern; given by a rule
  CHECK(uses("rest }") == 3);
  CHECK(uses("norms over") == 2);
}

TEST_CASE("order rules: completion of words, places and keywords") {
  Session session;
  const auto in_block = [&](std::string_view typed) {
    return completion(session, std::string("labels substage { gemm norm \"a b\" }\n"
                                           "pattern p over substage = gemm\n"
                                           "pattern q over stage = x\n"
                                           "engine e { part over substage { ") +
                                   std::string(typed) + " } }");
  };
  for (const char* typed : {"a: ‸", "a: norm > ‸", "a: norm > [‸", "ignore ‸", "continue !‸"}) {
    INFO(typed);
    const Strings words = in_block(typed);
    for (const char* word : {"gemm", "norm", "p", "_", "start", "end", "within"}) {
      CHECK(has(words, word));
    }
    CHECK_FALSE(has(words, "q"));
    CHECK_FALSE(has(words, "a b"));
  }
  CHECK(has(in_block("‸"), "continue"));
  CHECK(has(completion(session, "engine e { part ov‸ }"), "over"));
  CHECK(has(completion(session, "engine e { part over ‸ }"), "substage"));
  CHECK(has(completion(session, "table t for part over ‸"), "substage"));
  CHECK(has(completion(session, "labels d { x }\npattern p over d = ‸"), "x"));
  CHECK_FALSE(has(completion(session, "labels d { x }\npattern p = ‸"), "x"));
  const Strings plain = completion(session, "labels d { x }\nengine e { d { ‸ } }");
  CHECK_FALSE(has(plain, "ignore"));
  CHECK_FALSE(has(completion(session, "labels d { x }\nengine e { d { a: ‸ } }"), "start"));
}

TEST_CASE("completion knows the place") {
  Session session;
  const Strings file = completion(session, "use std.gemm\n‸");
  CHECK(has(file, "engine"));
  CHECK(has(file, "requires"));
  CHECK(has(file, "link"));
  CHECK(completion(session, "requires ‸") == Strings{"kr"});
  CHECK(has(completion(session, "engine e { li‸"), "link"));
  CHECK(has(completion(session, "table t for d { ‸ }"), "since"));
  CHECK(!has(completion(session, "engine e { d { ‸ } }"), "since"));
  CHECK(!has(file, "refine"));
  CHECK(has(completion(session, "use ‸"), "std.gemm"));
  CHECK(has(completion(session, "use std.g‸"), "gemm"));
  CHECK(has(completion(session, "use std.gemm\nengine e { substage { a: gemm.‸"), "cutlass"));
  const Strings items =
      completion(session, "labels substage { gemm moe }\nengine e { substage {\n  ‸\n} }");
  CHECK(has(items, "gemm"));
  CHECK(has(items, "include"));
  CHECK(!has(items, "engine"));
  const Strings expression = completion(
      session, "use std.comm\npattern p = \"x\"\nengine e { substage { a: \"y\" & ‸ } }");
  CHECK(has(expression, "p"));
  CHECK(has(expression, "comm"));
  CHECK(has(expression, "within"));
  CHECK(!has(expression, "otherwise"));
  CHECK(has(completion(session, "engine e { substage { a: ‸ } }"), "otherwise"));
  CHECK(completion(session, "engine e { substage { a: @m‸ } }") ==
        Strings{"kernel", "memcpy", "memset"});
  const Strings tables = completion(
      session,
      "table t for substage { }\ntable u for stage { }\nengine e { substage { include ‸ } }");
  CHECK(tables == Strings{"t"});
  const Strings models = completion(
      session, "engine e { model a { }\n model b extends ‸ { } }\nengine f { model c { } }");
  CHECK(has(models, "a"));
  CHECK(!has(models, "b"));
  CHECK(!has(models, "c"));
  CHECK(has(completion(session, "use rulesets.vllm\nengine e { model b extends vllm.‸ { } }"),
            "llama"));
  CHECK(has(completion(session, "engine e { # kr: allow(un‸\n}"), "unused-use"));
  CHECK(completion(session, "engine e { # plain ‸\n}").empty());
  CHECK(completion(session, "engine e { substage { a: \"ge‸\" } }").empty());
  CHECK(has(completion(session, "engine e { model m { } }\ntest e/‸"), "m"));
  CHECK(has(completion(session, "engine e { }\ntest ‸"), "e"));
  CHECK(has(completion(session, "labels operation { a }\nengine e { }\ntest e { \"x\" => ‸"),
            "operation"));
  CHECK(
      completion(session, "labels operation { a }\nengine e { }\ntest e { \"x\" => operation ‸") ==
      Strings{"a"});
  CHECK(has(completion(session, "table t for ‸"), "substage"));
}

TEST_CASE("formatting is one small edit") {
  Session session;
  constexpr std::string_view text =
      "engine e {\n  detect: \"e\"\n     detect:   \"f\"\n  substage { a: otherwise }\n}\n";
  session.open(text);
  const JsonValue edits =
      session.result("textDocument/formatting",
                     R"({"textDocument":{"uri":"untitled:a.kr"},"options":{"tabSize":2}})");
  REQUIRE(edits.items.size() == 1);
  CHECK(Session::place(*edits.items[0].find("range")) == "2:0-3:0");
  CHECK(edits.items[0].find("newText")->string == "  detect: \"f\"\n");
}

TEST_CASE("quick fixes and allows") {
  Session session;
  constexpr std::string_view text =
      "use std.comm\nengine e { substage { a: \"x\"  b: otherwise } }\n";
  session.open(text);
  const JsonValue actions = session.result(
      "textDocument/codeAction",
      R"({"textDocument":{"uri":"untitled:a.kr"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"context":{"diagnostics":[]}})");
  REQUIRE(actions.items.size() == 2);
  CHECK(actions.items[0].find("isPreferred")->boolean);
  const JsonValue& fix = actions.items[0].find("edit")->find("changes")->members[0].value.items[0];
  CHECK(fix.find("newText")->string == "");
  CHECK(Session::place(*fix.find("range")) == "0:0-1:0");
  const JsonValue& allow =
      actions.items[1].find("edit")->find("changes")->members[0].value.items[0];
  CHECK(allow.find("newText")->string == "  # kr: allow(unused-use) say why");
  CHECK(Session::place(*allow.find("range")) == "0:12-0:12");
}

TEST_CASE("hostile requests get clear errors") {
  Session session;
  session.open("engine e { substage { a: otherwise } }\n");
  CHECK(session.error(
            "textDocument/hover",
            R"({"textDocument":{"uri":"untitled:b.kr"},"position":{"line":0,"character":0}})") ==
        -32602);
  CHECK(session.error(
            "textDocument/hover",
            R"({"textDocument":{"uri":"untitled:a.kr"},"position":{"line":-1,"character":0}})") ==
        -32602);
  CHECK(session.error("textDocument/hover",
                      R"({"textDocument":{"uri":5},"position":{"line":0,"character":0}})") ==
        -32602);
  CHECK(session.error("textDocument/hover", R"({"textDocument":{"uri":"untitled:a.kr"}})") ==
        -32602);
  CHECK(session.error("textDocument/hover", "[]") == -32602);
  CHECK(
      session.error(
          "textDocument/codeAction",
          R"({"textDocument":{"uri":"untitled:a.kr"},"range":{"start":{"line":2,"character":0},"end":{"line":1,"character":0}}})") ==
      -32602);
  CHECK(
      session
          .result(
              "textDocument/hover",
              R"({"textDocument":{"uri":"untitled:a.kr"},"position":{"line":99999999999,"character":99}})")
          .kind == JsonValue::Kind::null);
  // An impossible change leaves the text, and is reported.
  session.notify(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"untitled:a.kr"},"contentChanges":[{"text":"x"},{"range":{}}]})");
  REQUIRE(!session.received.empty());
  CHECK(session.received.back().find("method")->string == "window/logMessage");
  for (const std::string& one : session.findings()) CHECK(!one.starts_with("KR1"));
}

TEST_CASE("findings are published, even if requests follow the text at once") {
  Session session;
  session.open("pattern unused = \"x\"\nengine e { substage { a: otherwise } }\n");
  // As editors do; the answer waits for the findings.
  const auto answers = session.server.receive(
      R"({"jsonrpc":"2.0","id":7,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"untitled:a.kr"},
         "range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"context":{"diagnostics":[]}}})");
  CHECK(answers.empty());
  REQUIRE(session.server.has_work());
  const auto sent = test::work(session.server);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].find("publishDiagnostics") != std::string::npos);
  CHECK(sent[0].find("KR311") != std::string::npos);
  CHECK(sent[1].find("\"id\":7") != std::string::npos);
  CHECK(!session.server.has_work());
}

TEST_CASE("a waiting request is answered once, even if its text changes") {
  constexpr std::string_view ask =
      R"({"jsonrpc":"2.0","id":7,"method":"textDocument/codeAction","params":{"textDocument":{"uri":"untitled:a.kr"},
         "range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}})";
  const auto code_after = [&](std::string_view message) {
    Session session;
    session.open("engine e { substage { a: otherwise } }\n");
    CHECK(session.server.receive(ask).empty());
    std::optional<lsp::Check> check;
    session.server.begin_work(check);
    REQUIRE(check);
    const auto sent = session.server.receive(message);
    const auto answered = std::find_if(sent.begin(), sent.end(), [](const std::string& one) {
      return one.find("\"id\":7") != std::string::npos;
    });
    REQUIRE(answered != sent.end());
    const JsonValue answer = parse_json(*answered, "");
    REQUIRE(answer.find("error") != nullptr);
    CHECK(answer.find("id")->integer == 7);
    const bool stopped = *check->stop;
    check->run();
    // There are no findings of an old text, and none twice.
    for (const std::string& one : session.server.finish_work(std::move(*check))) {
      CHECK(!stopped);
      CHECK(one.find("\"id\"") == std::string::npos);
    }
    return answer.find("error")->find("code")->integer;
  };
  CHECK(
      code_after(
          R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:a.kr","version":2},
             "contentChanges":[{"text":""}]}})") == -32801);
  CHECK(
      code_after(
          R"({"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"untitled:a.kr"}}})") ==
      -32801);
  CHECK(code_after(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}})") == -32800);
  CHECK(code_after(R"({"jsonrpc":"2.0","id":8,"method":"shutdown"})") == -32800);
}

TEST_CASE("a check stops when its text changes") {
  Session session;
  session.open("engine e { substage { a: otherwise } }\n");
  std::optional<lsp::Check> check;
  session.server.begin_work(check);
  REQUIRE(check);
  CHECK(!session.server.has_work());  // one at a time
  CHECK(!*check->stop);
  CHECK(session.result("textDocument/documentSymbol", R"({"textDocument":{"uri":"untitled:a.kr"}})")
            .items.size() == 1);
  session.open("engine e { substage { a: x } }\n");
  CHECK(*check->stop);
  check->run();
  CHECK(!check->trouble.empty());
  CHECK(session.server.finish_work(std::move(*check)).empty());
  CHECK(session.findings() == Strings{"KR206 0:25-0:26"});
}

TEST_CASE("a comment that allows a finding is added at the end of a line") {
  // A lone carriage return ends a line for the editor and none for kr.
  Session session;
  session.open(
      "pattern unused = \"x\"\r pattern other = \"y\"\nengine e { substage { a: otherwise } }\n");
  const JsonValue actions = session.result(
      "textDocument/codeAction",
      R"({"textDocument":{"uri":"untitled:a.kr"},"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":14}}})");
  bool found = false;
  for (const JsonValue& action : actions.items) {
    if (!action.find("title")->string.starts_with("Allow")) continue;
    found = true;
    const JsonValue& edits = *action.find("edit")->find("changes")->find("untitled:a.kr");
    CHECK(Session::place(*edits.items[0].find("range")) == "1:20-1:20");
  }
  CHECK(found);
}
