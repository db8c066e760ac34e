#include "base/json.hpp"

#include <fmt/format.h>

#include "render/json_cells.hpp"

namespace kr::render {
namespace {

/// `"labels":[…]`, one row per line.
void append_json_table(OutputBuffer& out, const Table& table) {
  out.append(json_string(table.id()) + ":[");
  JsonRows rows(out, table.columns(),
                {.before = "\n", .between = ",\n", .members = {}, .after = {}});
  table.write(rows);
  out.append(']');
}

}  // namespace

void json(std::span<const Table> tables, const Bytes& to) {
  OutputBuffer out(to);
  out.append(fmt::format("{{\"kr\":{},\"schema\":{}", json_string(KR_VERSION), schema_version));
  for (const Table& table : tables) {
    if (!table.info().describes_results) continue;
    out.append(std::string_view(",\n"));
    append_json_table(out, table);
  }
  out.append(std::string_view(",\n\"tables\":{"));
  std::string_view before = "\n";
  for (const Table& table : tables) {
    if (table.info().describes_results) continue;
    out.append(before);
    append_json_table(out, table);
    before = ",\n";
  }
  out.append(std::string_view("}}\n"));
  out.finish();
}

}  // namespace kr::render
