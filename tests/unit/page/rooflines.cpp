#include <doctest/doctest.h>
#include <fmt/format.h>

#include <vector>

#include "page/page_data.hpp"

using kr::table::Role;
using kr::table::Unit;

namespace {

/// A table of kernels of the runs `a` and `b`.
kr::table::Table kernels(size_t of_a, size_t of_b) {
  kr::table::Info info;
  info.id = "roofline";
  info.columns = {{"run", Unit::text, Role::key, {}},
                  {"scope", Unit::text, Role::key, {}},
                  {"key", Unit::name, Role::key, {}},
                  {"total_ns", Unit::ns, Role::measure, {}},
                  {"flops_per_s", Unit::per_second, Role::measure, {}},
                  {"intensity", Unit::factor, Role::measure, {}}};
  const std::vector<kr::table::Column> columns = info.columns;
  return {info, columns, [=](kr::RowSink& sink) {
            for (size_t i = 0; i < of_a + of_b; ++i) {
              const double place = 1 + static_cast<double>(i % 977);
              sink.row({i < of_a ? "a" : "b", "kernel", fmt::format("kernel_{}", i), int64_t{5},
                        1e9 * place, place});
            }
          }};
}

std::string rooflines(size_t of_a, size_t of_b) {
  std::string out;
  kr::JsonWriter json(out);
  json.open('{');
  kr::page::write_rooflines(json, std::vector<kr::table::Table>{kernels(of_a, of_b)});
  json.close('}');
  return out;
}

size_t count(const std::string& text, std::string_view of) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(of, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE("charts of rooflines take 3 MB of a page at most, and the page says which are missing") {
  const std::string few = rooflines(10, 3);
  CHECK(count(few, "data-point") == 3 * 13);
  CHECK(count(few, "No chart") == 0);
  const std::string many = rooflines(20'000, 3);
  CHECK(many.size() < 3'000'000);
  CHECK(
      many.starts_with("{\"rooflines\":[\n{\"run\":\"a\",\"level\":\"kernel\",\"charts\":[],"
                       "\"notes\":[\"No chart: those of this page take 3 MB."));
  CHECK(count(many, "data-point") == 3 * 3);
}
