#include "base/json.hpp"
#include "render/json_cells.hpp"

namespace kr::render {

void json_lines(std::span<const Table> tables, const Bytes& to) {
  OutputBuffer out(to);
  for (const Table& table : tables) {
    const std::string id = "\"table\":" + json_string(table.id());
    JsonRows rows(out, table.columns(),
                  {.before = {}, .between = {}, .members = id, .after = "\n"});
    table.write(rows);
  }
  out.finish();
}

}  // namespace kr::render
