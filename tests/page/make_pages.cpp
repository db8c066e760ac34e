// make_pages FOLDER: writes all pages and pictures that the browser tests open.
#include "make_pages.hpp"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (auto* const make : {kr::test::report_pages::make, kr::test::tree_pages::make,
                           kr::test::timeline_pages::make, kr::test::analysis_pages::make,
                           kr::test::roofline_pages::make, kr::test::rank_pages::make}) {
    make(arguments[1]);
  }
  return 0;
}
