#include "trace/readers/wire.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/readers/wire_stream.hpp"

using namespace kr::trace;
using namespace std::string_literals;

namespace {

// 1: 300, 2: "ab", 3: eight bytes, 4: four bytes
const std::string message =
    "\x08\xac\x02\x12\x02"
    "ab\x19\x01\x00\x00\x00\x00\x00\x00\x80\x25\x07\x00\x00\x00"s;

std::vector<WireField> fields_of(std::string_view bytes, bool& broken) {
  WireReader reader(bytes);
  std::vector<WireField> fields;
  for (WireField field; reader.next(field);) fields.push_back(field);
  broken = reader.broken();
  return fields;
}

}  // namespace

TEST_CASE("fields of a protobuf message") {
  bool broken = true;
  const auto fields = fields_of(message, broken);
  CHECK(!broken);
  REQUIRE(fields.size() == 4);
  CHECK(fields[0].number == 1);
  CHECK(fields[0].value == 300);
  CHECK(fields[1].bytes == "ab");
  CHECK(fields[2].value == 0x8000000000000001U);
  CHECK(fields[3].value == 7);
}

TEST_CASE("a protobuf message that is cut off anywhere is broken, or ends with a field") {
  for (size_t size = 0; size < message.size(); ++size) {
    bool broken = false;
    const auto fields = fields_of(std::string_view(message).substr(0, size), broken);
    const bool between = size == 0 || size == 3 || size == 7 || size == 16;
    CHECK(broken == !between);
    CHECK(fields.size() <= 3);
  }
}

TEST_CASE("what is no field of protobuf") {
  bool broken = false;
  CHECK(fields_of("\x00\x01"s, broken).empty());  // number 0
  CHECK(broken);
  CHECK(fields_of("\x0b"s, broken).empty());  // a group
  CHECK(broken);
  CHECK(fields_of("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, broken).empty());  // its length
  CHECK(broken);
  CHECK(fields_of("\x08" + std::string(11, '\xff'), broken).empty());  // a number without an end
  CHECK(broken);
}

TEST_CASE("packed numbers") {
  const std::string bytes = "\x01\xac\x02"s;
  WireReader numbers(bytes);
  uint64_t value = 0;
  CHECK(numbers.packed(value));
  CHECK(value == 1);
  CHECK(numbers.packed(value));
  CHECK(value == 300);
  CHECK(!numbers.packed(value));
  CHECK(!numbers.broken());
}

TEST_CASE("a file of fields is read with blocks of any size") {
  std::string file;
  for (int i = 0; i < 50; ++i)
    file +=
        "\x0a" + std::string(1, static_cast<char>(i)) + std::string(static_cast<size_t>(i), 'x');
  for (const size_t block : {size_t{1}, size_t{7}, size_t{64}, size_t{1} << 20}) {
    OpenOptions options;
    options.block_size = block;
    Input input(file, "memory", options);
    WireStream stream(input);
    size_t fields = 0;
    uint64_t offset = 0;
    for (WireField field; stream.next(field); ++fields) {
      CHECK(field.bytes == std::string(fields, 'x'));
      CHECK(stream.offset() == offset);
      offset += 2 + fields;
    }
    CHECK(fields == 50);
  }
}

TEST_CASE("a file of fields in blocks: whole fields, with their places") {
  std::string file;
  for (int i = 0; i < 50; ++i) {
    file += "\x0a" + std::string(1, static_cast<char>(i)) +
            std::string(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
  }
  for (const size_t block_size : {size_t{1}, size_t{7}, size_t{64}, size_t{1} << 20}) {
    OpenOptions options;
    options.block_size = block_size;
    Input input(file, "memory", options);
    WireStream stream(input);
    std::string read;
    WireBlock first, second;  // by turns: each takes the other's place in the stream
    size_t blocks = 0;
    while (stream.next(blocks % 2 == 0 ? first : second)) {
      const WireBlock& block = blocks % 2 == 0 ? first : second;
      CHECK(!block.fields().empty());
      CHECK(block.offset() == read.size());
      read += block.fields();
      CHECK(stream.offset() == read.size());
      WireReader fields(block.fields());
      for (WireField field; fields.next(field);) CHECK(field.number == 1);
      CHECK(!fields.broken());
      ++blocks;
    }
    CHECK(read == file);
    CHECK((blocks == 1) == (block_size > file.size()));
  }
}

TEST_CASE("bytes that are not a field end the block before them") {
  const std::string file = "\x0a\x01z"s + "\xfa\xff\xff\xff\xff\x01" + std::string(30, 'x');
  OpenOptions options;
  Input input(file, "memory", options);
  WireStream stream(input);
  WireBlock block;
  CHECK(stream.next(block));
  CHECK(block.fields() == "\x0a\x01z");
  CHECK_THROWS_WITH_AS(stream.next(block), doctest::Contains("byte 3"), kr::Error);
  Input again(file, "memory", options);
  WireStream one(again);
  WireField field;
  CHECK(one.next(field));
  CHECK_THROWS_WITH_AS(one.next(field), doctest::Contains("byte 3"), kr::Error);
}

TEST_CASE("a length beyond the end of the file is an error with its place") {
  const std::string file = "\x0a\x01z\x0a\xff\xff\xff\x3f"s + "abc";
  OpenOptions options;
  Input input(file, "memory", options);
  WireStream stream(input);
  WireField field;
  CHECK(stream.next(field));
  CHECK_THROWS_WITH_AS(stream.next(field), doctest::Contains("byte 3"), kr::Error);
  options.allow_truncated = true;
  Input again(file, "memory", options);
  WireStream until(again);
  CHECK(until.next(field));
  CHECK(!until.next(field));
  CHECK(until.cut_off());
}
