// Where the time of traces goes: example TRACE... prints the same JSON as
// `kr report TRACE... --tables labels,devices --format json`, and the longest label of each run.
#include <cstdio>
#include <kr/kr.hpp>
#include <kr/render.hpp>

namespace {

/// The rows of the table `labels`, longest first in each run and dimension.
struct LongestLabels : kr::RowSink {
  using RowSink::row;
  void row(std::span<const kr::Cell> cells) override {
    const auto text = [&](size_t column) {
      return std::string(std::get<std::string_view>(cells[column]));
    };
    if (text(1) != "substage" || text(0) == last_run) return;
    last_run = text(0);
    std::fprintf(stderr, "%s: %s\n", last_run.c_str(), text(2).c_str());
  }
  std::string last_run;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    const kr::Rules rules = kr::Rules::load();  // the rulesets that ship
    kr::Session session(rules);
    for (int i = 1; i < argc; ++i) session.add({.path = argv[i]});

    const auto tables = session.tables({"runs", "notes", "labels", "devices"});
    kr::render::json(
        tables, [](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), stdout); });
    LongestLabels longest;
    session.table("labels").write(longest);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "example: %s\n", error.what());
    return 2;
  }
}
