#include <doctest/doctest.h>
#include <fmt/args.h>

#include <set>

#include "diag/diagnostic.hpp"

using namespace kr;

TEST_CASE("every code has a unique number and name") {
  std::set<std::string_view> ids;
  std::set<std::string_view> names;
  std::string_view last;
  for (const diag::CodeInfo& info : diag::all_codes()) {
    CAPTURE(std::string(info.id));
    CHECK(info.id.size() == 5);
    CHECK(info.id.starts_with("KR"));
    CHECK(last < info.id);
    last = info.id;
    CHECK(ids.insert(info.id).second);
    CHECK(names.insert(info.name).second);
    CHECK(info.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == info.name.npos);
    CHECK(diag::find_code(info.id) == &info);
    CHECK(diag::find_code(info.name) == &info);
  }
  CHECK(diag::find_code("KR000") == nullptr);
}

TEST_CASE("messages take as many arguments as they say, and are written in one way") {
  for (const diag::CodeInfo& info : diag::all_codes()) {
    CAPTURE(std::string(info.id));
    CHECK_FALSE(info.message.ends_with('.'));
    CHECK_FALSE((info.message[0] >= 'A' && info.message[0] <= 'Z'));
    fmt::dynamic_format_arg_store<fmt::format_context> arguments;
    for (int i = 0; i < info.arguments; ++i) arguments.push_back(fmt::format("argument-{}", i));
    const std::string message = fmt::vformat(info.message, arguments);
    for (int i = 0; i < info.arguments; ++i) {
      CHECK(message.find(fmt::format("argument-{}", i)) != std::string::npos);
    }
  }
}

TEST_CASE("diagnostics are sorted by place, stable by phase") {
  source::SourceMap sources;
  const source::FileId a = sources.add("a", "xxxx");
  const source::FileId b = sources.add("b", "xxxx");
  diag::Sink sink;
  sink.add(diag::code::syntax, source::Span{b, 0, 1}, "4", "");
  sink.add(diag::code::syntax, source::Span{a, 2, 3}, "2", "");
  sink.add(diag::code::syntax, source::Span{a, 2, 4}, "3", "");
  sink.add(diag::code::syntax, source::Span{a, 0, 1}, "1", "");
  CHECK(sink.errors() == 4);
  int expected = 0;
  for (const diag::Diagnostic& said : sink.sorted()) {
    CHECK(said.message == fmt::format("expected {}, found ", ++expected));
  }
}
