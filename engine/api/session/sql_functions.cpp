#include "session/sql_functions.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "base/check.hpp"

namespace kr::session {
namespace {

/// A whole number stays one: a time of a thousand days in ns is more than a double distinguishes.
struct Number {
  double real = 0;
  sqlite3_int64 whole = 0;
  bool is_whole = false;

  bool operator<(const Number& other) const noexcept {
    return is_whole && other.is_whole ? whole < other.whole : real < other.real;
  }
};

struct Numbers {
  std::vector<Number> all;
  double percent = 0;
};

/// What SQLite keeps between the calls of one aggregate: zeros before the first.
struct KeptNumbers {
  Numbers* numbers;
};

Numbers* numbers_of(sqlite3_context* context, bool create) {
  constexpr auto size = static_cast<int>(sizeof(KeptNumbers));
  auto* const kept =
      static_cast<KeptNumbers*>(sqlite3_aggregate_context(context, create ? size : 0));
  if (kept == nullptr) return nullptr;
  if (kept->numbers == nullptr && create) kept->numbers = new (std::nothrow) Numbers;
  return kept->numbers;
}

void step(sqlite3_context* context, int count, sqlite3_value** values) {
  const int type = sqlite3_value_type(values[0]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return;
  Numbers* const numbers = numbers_of(context, true);
  if (numbers == nullptr) return sqlite3_result_error_nomem(context);
  if (count == 2) {
    const double percent = sqlite3_value_double(values[1]);
    const bool number = sqlite3_value_numeric_type(values[1]) == SQLITE_INTEGER ||
                        sqlite3_value_numeric_type(values[1]) == SQLITE_FLOAT;
    const bool other = !numbers->all.empty() && percent != numbers->percent;
    if (!number || !(percent >= 0 && percent <= 100) || other) {
      return sqlite3_result_error(
          context, "the second argument of percentile is one number from 0 to 100", -1);
    }
    numbers->percent = percent;
  }
  try {
    numbers->all.push_back(
        {sqlite3_value_double(values[0]), sqlite3_value_int64(values[0]), type == SQLITE_INTEGER});
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

const Number& nth(std::vector<Number>& all, size_t place) {
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

void give(sqlite3_context* context, const Number& number) {
  number.is_whole ? sqlite3_result_int64(context, number.whole)
                  : sqlite3_result_double(context, number.real);
}

void median(sqlite3_context* context) {
  const std::unique_ptr<Numbers> numbers(numbers_of(context, false));
  if (numbers == nullptr || numbers->all.empty()) return sqlite3_result_null(context);
  const size_t size = numbers->all.size();
  const Number upper = nth(numbers->all, size / 2);
  if (size % 2 == 1) return give(context, upper);
  const Number lower = nth(numbers->all, size / 2 - 1);
  if (!(lower < upper)) return give(context, upper);
  sqlite3_result_double(context, lower.real + (upper.real - lower.real) / 2);
}

void percentile(sqlite3_context* context) {
  const std::unique_ptr<Numbers> numbers(numbers_of(context, false));
  if (numbers == nullptr || numbers->all.empty()) return sqlite3_result_null(context);
  const auto size = static_cast<double>(numbers->all.size());
  const auto rank = static_cast<size_t>(std::ceil(size * numbers->percent / 100));
  give(context, nth(numbers->all, std::clamp<size_t>(rank, 1, numbers->all.size()) - 1));
}

}  // namespace

void add_sql_functions(sqlite3* connection) {
  constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto add = [&](const char* name, int arguments, void (*final)(sqlite3_context*)) {
    KR_CHECK(sqlite3_create_function_v2(connection, name, arguments, flags, nullptr, nullptr, step,
                                        final, nullptr) == SQLITE_OK);
  };
  add("median", 1, median);
  add("percentile", 2, percentile);
}

}  // namespace kr::session
