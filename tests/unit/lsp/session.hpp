// A client of the server in memory.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <deque>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/json_read.hpp"
#include "support/lsp_work.hpp"
#include "support/source_folder.hpp"

namespace kr::test {

class Session {
 public:
  explicit Session(std::string_view encoding = "utf-8") {
    request("initialize",
            fmt::format(R"({{"capabilities":{{"general":{{"positionEncodings":["{}"]}}}}}})",
                        encoding));
    notify("initialized", "{}");
  }

  /// The answer, whole: with `result` or `error`.
  JsonValue request(std::string_view method, std::string_view params) {
    const int id = ++last_id_;
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method,
                     params));
    // Some requests wait for the findings.
    while (received.empty() || received.back().find("id") == nullptr) {
      REQUIRE(server.has_work());
      for (const std::string& one : work(server)) received.push_back(parse_json(one, ""));
    }
    JsonValue answer = std::move(received.back());
    received.pop_back();
    CHECK(answer.find("id")->integer == id);
    return answer;
  }
  JsonValue result(std::string_view method, std::string_view params) {
    JsonValue answer = request(method, params);
    REQUIRE_MESSAGE(answer.find("result") != nullptr, method);
    return *answer.find("result");
  }
  int64_t error(std::string_view method, std::string_view params) {
    const JsonValue answer = request(method, params);
    const JsonValue* error = answer.find("error");
    REQUIRE_MESSAGE(error != nullptr, method);
    CHECK(!error->find("message")->string.empty());
    return error->find("code")->integer;
  }
  void notify(std::string_view method, std::string_view params) {
    send(fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params));
  }
  void send(std::string_view message) {
    for (const std::string& one : server.receive(message)) received.push_back(parse_json(one, ""));
  }

  void open(std::string_view text, std::string_view uri = "untitled:a.kr") {
    notify(
        "textDocument/didOpen",
        fmt::format(R"({{"textDocument":{{"uri":"{}","languageId":"kr","version":1,"text":{}}}}})",
                    uri, json_string(text)));
  }
  /// The findings of the only document with findings, as `CODE line:column-line:column`.
  std::vector<std::string> findings(std::string_view uri = "untitled:a.kr") {
    std::vector<std::string> codes;
    while (server.has_work()) {
      for (const std::string& one : work(server)) {
        const JsonValue message = parse_json(one, "");
        const JsonValue& params = *message.find("params");
        if (params.find("uri")->string != uri) continue;
        last_findings = params.find("diagnostics")->items;
        version = params.find("version")->integer;
        codes.clear();
        for (const JsonValue& finding : last_findings) codes.push_back(shown(finding));
      }
    }
    return codes;
  }
  static std::string at(std::string_view text, std::string_view needle,
                        std::string_view uri = "untitled:a.kr", size_t plus = 0) {
    const size_t offset = text.find(needle);
    REQUIRE_MESSAGE(offset != text.npos, needle);
    const std::string_view before = text.substr(0, offset + plus);
    const auto line = std::count(before.begin(), before.end(), '\n');
    const size_t begin = before.rfind('\n') + 1;
    return fmt::format(
        R"({{"textDocument":{{"uri":"{}"}},"position":{{"line":{},"character":{}}}}})", uri, line,
        before.size() - begin);
  }
  static std::string place(const JsonValue& range) {
    const auto part = [&](std::string_view which) {
      const JsonValue& one = *range.find(which);
      return fmt::format("{}:{}", one.find("line")->integer, one.find("character")->integer);
    };
    return part("start") + "-" + part("end");
  }

  lsp::Server server{source::Library({test::source_folder()}), "0.0"};
  std::deque<JsonValue> received;
  std::vector<JsonValue> last_findings;
  int64_t version = 0;

 private:
  static std::string shown(const JsonValue& finding) {
    const JsonValue* code = finding.find("code");
    return fmt::format("{} {}", code == nullptr ? "-" : code->string,
                       place(*finding.find("range")));
  }
  int last_id_ = 0;
};

}  // namespace kr::test
