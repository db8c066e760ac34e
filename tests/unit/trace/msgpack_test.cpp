// MessagePack: every byte that can begin a value, files that end anywhere, and hostile sizes.
#include "support/msgpack.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/readers/msgpack_pull.hpp"

namespace kr::test::msgpack_test {
namespace {

using trace::JsonKind;

/// The whole value as a text: `[1,{"k":"x"},null]`.
void show(trace::MsgpackPull& values, std::string& out) {
  switch (values.value()) {
    case JsonKind::number:
      out += values.number();
      break;
    case JsonKind::string:
      out.append("\"").append(values.string()).append("\"");
      break;
    case JsonKind::array:
    case JsonKind::object: {
      const bool object = values.value() == JsonKind::object;
      out += object ? '{' : '[';
      values.enter();
      for (bool first = true; values.next(); first = false) {
        if (!first) out += ',';
        if (object) out.append("\"").append(values.key()).append("\":");
        show(values, out);
      }
      out += object ? '}' : ']';
      break;
    }
    case JsonKind::boolean:
      values.skip();
      out += "boolean";
      break;
    default:
      values.skip();
      out += "null";
      break;
  }
}

/// The text, or the message of the Error. `pass`: the value is passed over.
std::string read(std::string_view bytes, size_t block_size, bool pass = false) {
  const trace::OpenOptions options;
  trace::Input input(bytes, "t", options);
  try {
    trace::MsgpackPull values(input, block_size);
    std::string out;
    pass ? values.pass() : show(values, out);
    values.end();
    return out;
  } catch (const Error& error) {
    return error.what();
  }
}

/// A value that `first` begins, and how it is shown; empty: no value begins so.
std::pair<std::string, std::string> value_of(uint8_t first) {
  const auto text = [](size_t size) { return std::string(size, 'x'); };
  const auto quoted = [&](size_t size) { return '"' + text(size) + '"'; };
  const auto items = [](size_t size, std::string_view one) {
    std::string all;
    for (size_t i = 0; i < size; ++i) all.append(i == 0 ? "" : ",").append(one);
    return all;
  };
  const std::string byte(1, static_cast<char>(first));
  if (first <= 0x7f) return {byte, fmt::format("{}", first)};
  if (first >= 0xe0) return {byte, fmt::format("{}", int{first} - 256)};
  if (first <= 0x8f) {
    std::string members;
    for (int i = 0; i < (first & 0x0f); ++i) members += "\xa1k\x05";
    return {byte + members, '{' + items(first & 0x0f, "\"k\":5") + '}'};
  }
  if (first <= 0x9f) {
    return {byte + std::string(first & 0x0f, '\x07'), '[' + items(first & 0x0f, "7") + ']'};
  }
  if (first <= 0xbf) return {byte + text(first & 0x1f), quoted(first & 0x1f)};
  switch (first) {
    case 0xc0:
      return {byte, "null"};
    case 0xc2:
    case 0xc3:
      return {byte, "boolean"};
    case 0xc4:
    case 0xd9:
      return {byte + big_endian(200, 1) + text(200), quoted(200)};
    case 0xc5:
    case 0xda:
      return {byte + big_endian(300, 2) + text(300), quoted(300)};
    case 0xc6:
    case 0xdb:
      return {byte + big_endian(70000, 4) + text(70000), quoted(70000)};
    case 0xc7:
      return {byte + big_endian(200, 1) + "e" + text(200), "null"};
    case 0xc8:
      return {byte + big_endian(300, 2) + "e" + text(300), "null"};
    case 0xc9:
      return {byte + big_endian(70000, 4) + "e" + text(70000), "null"};
    case 0xca:
      return {byte + big_endian(std::bit_cast<uint32_t>(1.5F), 4), "1.5"};
    case 0xcb:
      return {byte + big_endian(std::bit_cast<uint64_t>(-1e300), 8), "-1e+300"};
    case 0xcc:
      return {byte + "\xff", "255"};
    case 0xcd:
      return {byte + "\xff\xfe", "65534"};
    case 0xce:
      return {byte + big_endian(0xfffffffe, 4), "4294967294"};
    case 0xcf:
      return {byte + big_endian(UINT64_MAX, 8), "18446744073709551615"};
    case 0xd0:
      return {byte + "\x80", "-128"};
    case 0xd1:
      return {byte + big_endian(0x8000, 2), "-32768"};
    case 0xd2:
      return {byte + big_endian(0x80000000, 4), "-2147483648"};
    case 0xd3:
      return {byte + big_endian(uint64_t{1} << 63, 8), "-9223372036854775808"};
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return {byte + "e" + text(size_t{1} << (first - 0xd4)), "null"};
    case 0xdc:
      return {byte + big_endian(300, 2) + std::string(300, '\x07'), '[' + items(300, "7") + ']'};
    case 0xdd:
      return {byte + big_endian(70000, 4) + std::string(70000, '\x07'),
              '[' + items(70000, "7") + ']'};
    case 0xde:
      return {byte + big_endian(1, 2) + "\xc4\x01k\x05", "{\"k\":5}"};
    case 0xdf:
      return {byte + big_endian(2, 4) + "\xa0\x05\xa1k\x90", "{\"\":5,\"k\":[]}"};
    default:
      return {};
  }
}

}  // namespace

TEST_CASE("every byte that begins a value of MessagePack") {
  for (int first = 0; first < 256; ++first) {
    CAPTURE(first);
    const auto [bytes, shown] = value_of(static_cast<uint8_t>(first));
    if (bytes.empty()) {
      CHECK(first == 0xc1);
      CHECK(read("\xc1", 1) ==
            "t: at byte 0: this is not MessagePack that kr reads: the byte c1 begins no value; "
            "create the file again");
      continue;
    }
    for (const size_t block_size : {size_t{1}, size_t{7}, size_t{4096}}) {
      CHECK(read(bytes, block_size) == shown);
      CHECK(read(bytes, block_size, true).empty());
      CHECK(read(bytes + '\xc0', block_size).find("there are bytes after the end") !=
            std::string::npos);
    }
    // Cut off at every byte, or, of what is long, at some.
    for (size_t end = 0; end < bytes.size(); end += end < 400 ? 1 : 997) {
      const std::string_view part = std::string_view(bytes).substr(0, end);
      const std::string expected = fmt::format("t: at byte {}: the file is cut off here", end);
      CHECK(read(part, 5).starts_with(expected));
      CHECK(read(part, 64, true).starts_with(expected));
    }
  }
}

TEST_CASE("numbers of MessagePack that are none") {
  const auto real = [](double value) {
    return "\xcb" + big_endian(std::bit_cast<uint64_t>(value), 8);
  };
  CHECK(read(real(NAN), 64) == "NaN");
  CHECK(read(real(-INFINITY), 64) == "-Infinity");
  CHECK(read("\xca" + big_endian(0x7f800000, 4), 64) == "Infinity");
  CHECK(read(real(1.25e12), 64) == "1.25e+12");
  CHECK(read("\xca" + big_endian(std::bit_cast<uint32_t>(0.1F), 4), 64) ==
        fmt::format("{}", double{0.1F}));
}

TEST_CASE("sizes and depths of MessagePack are not believed") {
  // No memory for what is not there.
  for (const char* head : {"\xdd", "\xdf", "\xc6", "\xc9"}) {
    const std::string bytes = head + big_endian(UINT32_MAX, 4);
    CHECK(read(bytes, 64, true).find("the file is cut off here") != std::string::npos);
  }
  CHECK(read("\xdb" + big_endian(UINT32_MAX, 4), 64) ==
        "t: at byte 5: this is not MessagePack that kr reads: a text of 4294967295 bytes: at most "
        "64 MiB are read; create the file again");
  CHECK(read("\x81\x05\x05", 64) ==
        "t: at byte 1: this is not MessagePack that kr reads: a key of a map is not a text; create "
        "the file again");
  const auto nested = [](size_t depth) { return std::string(depth, '\x91') + '\x05'; };
  CHECK(read(nested(trace::MsgpackPull::max_depth), 64, true).empty());
  CHECK(read(nested(trace::MsgpackPull::max_depth + 1), 64, true)
            .find("nested more than 10000 deep") != std::string::npos);
  CHECK(read("\x92\x01\x81\xa1k\x92\x01\xc1", 3).find("[1].k[1]") != std::string::npos);
}

}  // namespace kr::test::msgpack_test
