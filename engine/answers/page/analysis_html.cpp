#include "page/page_data.hpp"
#include "page/pages.hpp"
#include "picture/label_styles.hpp"
#include "tables/registry.hpp"

namespace kr::page {

std::string analysis_html(const tables::Source& source, std::span<const table::Table> tables,
                          std::string_view title) {
  return make_page(analysis_page,
                   {.title = title, .tables = tables, .more = [&](JsonWriter& json) {
                      write_styles(
                          json, picture::label_styles(source.rules->program(), source.summaries()));
                      write_tiles(json, analysis_tiles(source));
                      write_health(json, source);
                      write_heat_maps(json, source);
                      if (has_table(tables, "steps") || !tables::are_many_ranks(source)) {
                        write_stacks(json, source);
                      }
                    }});
}

}  // namespace kr::page
