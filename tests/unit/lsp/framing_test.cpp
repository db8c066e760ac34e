#include <doctest/doctest.h>

#include "lsp/rpc.hpp"

using namespace kr::lsp;

namespace {

std::string body(Framer& framer) {
  const auto message = framer.next();
  REQUIRE(message.has_value());
  CHECK(message->broken == "");
  return message->body;
}

}  // namespace

TEST_CASE("messages come out whole, however the bytes arrive") {
  const std::string stream = framed("{}") + framed("é") + framed("");
  for (size_t step = 1; step <= stream.size(); ++step) {
    CAPTURE(step);
    Framer framer;
    std::vector<std::string> bodies;
    for (size_t at = 0; at < stream.size(); at += step) {
      framer.feed(std::string_view(stream).substr(at, step));
      while (const auto message = framer.next()) {
        CHECK(message->broken == "");
        bodies.push_back(message->body);
      }
    }
    CHECK(bodies == std::vector<std::string>{"{}", "é", ""});
    CHECK(!framer.next());
  }
}

TEST_CASE("heads as other programs write them") {
  Framer framer;
  framer.feed(
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  2 \r\n\r\n{}");
  CHECK(body(framer) == "{}");
  framer.feed("Content-Length: 2\n\n[]");
  CHECK(body(framer) == "[]");
}

TEST_CASE("a broken header is reported once, and reading continues at the next") {
  for (const char* broken :
       {"Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", "nonsense\r\n\r\n",
        "A: b\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 999999999999\r\n\r\n"}) {
    CAPTURE(broken);
    Framer framer;
    framer.feed(broken);
    const auto message = framer.next();
    REQUIRE(message.has_value());
    CHECK(message->broken != "");
    CHECK(!framer.next());
    framer.feed("rubbish" + framed("{}"));
    CHECK(body(framer) == "{}");
  }
  Framer framer;
  framer.feed(std::string(Framer::max_head + 1, 'x'));
  const auto message = framer.next();
  REQUIRE(message.has_value());
  CHECK(message->broken == "the header has no end");
}

TEST_CASE("what a message is") {
  std::string id;
  const auto message =
      read_message(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1}})", id);
  REQUIRE(message.has_value());
  CHECK(message->id == "7");
  CHECK(message->method == "m");
  CHECK(member(message->params, "a").integer == 1);
  CHECK(read_message(R"({"jsonrpc":"2.0","id":"a\"b","method":"m"})", id)->id == R"("a\"b")");
  CHECK(read_message(R"({"jsonrpc":"2.0","method":"m"})", id)->id == "");
  CHECK(!read_message(R"({"jsonrpc":"2.0","id":1,"result":null})", id));

  const auto refused = [&](std::string_view text) {
    try {
      (void)read_message(text, id);
    } catch (const RequestError& error) {
      return static_cast<int>(error.code());
    }
    return 0;
  };
  CHECK(refused("{") == -32700);
  CHECK(refused("") == -32700);
  CHECK(refused("{\"a\":\"\xff\"}") == -32700);
  CHECK(refused("[]") == -32600);
  CHECK(refused(R"({"id":1,"method":"m"})") == -32600);
  CHECK(id == "1");
  CHECK(refused(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})") == -32600);
  CHECK(id == "null");
  CHECK(refused(R"({"jsonrpc":"2.0","id":3})") == -32600);
  CHECK(refused(R"({"jsonrpc":"2.0","method":5})") == -32600);
}

TEST_CASE("half a character of UTF-16 counts as one") {
  std::string id;
  const auto message = read_message(
      R"({"jsonrpc":"2.0","method":"m","params":["a\ud83db","\ud83d\ude00","\\ud83d","\udc00"]})",
      id);
  REQUIRE(message.has_value());
  const auto& items = message->params.items;
  REQUIRE(items.size() == 4);
  CHECK(items[0].string ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(items[1].string == "😀");
  CHECK(items[2].string == "\\ud83d");
  CHECK(items[3].string == "\xef\xbf\xbd");
}
