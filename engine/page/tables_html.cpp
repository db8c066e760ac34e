#include "page/tables_html.hpp"

#include "page/page_data.hpp"

namespace kr::page {

std::string tables_html(std::span<const table::Table> tables, std::string_view title,
                        size_t most_rows) {
  return make_page(tables_page,
                   {.title = title, .tables = tables, .most_rows = most_rows, .more = nullptr});
}

}  // namespace kr::page
