#include "base/decimal.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace kr {
namespace {

struct Case {
  const char* text;
  int exponent;
  DecimalFault fault;
  int64_t ns;
};

}  // namespace

TEST_CASE("decimals become exact nanoseconds") {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  using enum DecimalFault;
  const Case cases[] = {
      {"0", 0, none, 0},
      {"448332470", 0, none, 448332470},
      {"  12 ", 0, none, 12},
      {"9223372036854775807", 0, none, most},
      {"9223372036854775808", 0, too_large, 0},
      {"9223372036854775807.4", 0, none, most},
      {"9223372036854775807.5", 0, too_large, 0},
      {"99999999999999999999", 0, too_large, 0},
      {"15057.495", 3, none, 15057495},
      {"15057.4954", 3, none, 15057495},
      {"15057.4955", 3, none, 15057496},
      {"0.9999", 3, none, 1000},
      {"15057.4", 3, none, 15057400},
      {"15057", 3, none, 15057000},
      {"9223372036854775.807", 3, none, most},
      {"9223372036854775.808", 3, too_large, 0},
      {"9223372036854775.8075", 3, too_large, 0},
      {"1429.4963", 6, none, 1429496300},
      {"7.6612", 6, none, 7661200},
      {"1.5", 9, none, 1500000000},
      {"9223372036.854775807", 9, none, most},
      {"", 0, missing, 0},
      {"  ", 0, missing, 0},
      {"None", 0, missing, 0},
      {"-5", 0, negative, 0},
      {"-0.001", 3, negative, 0},
      {"abc", 0, not_a_number, 0},
      {"12a", 0, not_a_number, 0},
      {"1,234", 0, not_a_number, 0},
      {"1.", 0, not_a_number, 0},
      {".5", 0, not_a_number, 0},
      {"-", 0, not_a_number, 0},
      {"1.2.3", 0, not_a_number, 0},
      {"1e9", 0, not_a_number, 0},
      {"+1", 0, not_a_number, 0},
      {"0x10", 0, not_a_number, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CAPTURE(c.exponent);
    int64_t ns = 0;
    const bool same_fault = read_decimal(c.text, c.exponent, ns) == c.fault;
    CHECK(same_fault);
    CHECK(ns == c.ns);
  }
}

TEST_CASE("numbers with exponents become exact nanoseconds") {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  using enum DecimalFault;
  const Case cases[] = {
      {"0", 3, none, 0},
      {"0.0", 3, none, 0},
      {"-0.0", 3, none, 0},
      {"0e999999999999999999999", 3, none, 0},
      {"-0e999999999999999999999", 3, none, 0},
      {"12.345", 3, none, 12345},
      {"11.263999999999998", 3, none, 11264},
      {"0.00049999999999999999", 3, none, 0},
      {"0.0005", 3, none, 1},
      {"1.2e-05", 3, none, 0},
      {"5e-04", 3, none, 1},
      {"4.9999e-04", 3, none, 0},
      {"9e-05", 3, none, 0},
      {"99999e-8", 3, none, 1},
      {"1e-999999999999999999999", 3, none, 0},
      {"1.5e3", 3, none, 1500000},
      {"1.23456E+2", 3, none, 123456},
      {"123456e-2", 3, none, 1234560},
      {"9.223372036854775807e15", 3, none, most},
      {"9.223372036854775808e15", 3, too_large, 0},
      {"9223372036854775807.4e-3", 3, none, most},
      {"9223372036854775807.5e-3", 3, too_large, 0},
      {"1e999999999999999999999", 3, too_large, 0},
      {"1e16", 3, too_large, 0},
      {"-1e999", 3, negative, 0},
      {"-1e-999", 3, negative, 0},
      {"-0.001", 3, negative, 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    int64_t ns = 0;
    const bool same_fault = read_json_number(c.text, c.exponent, ns) == c.fault;
    CHECK(same_fault);
    CHECK(ns == c.ns);
  }
}

}  // namespace kr
