#include "kr/arrow.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/check.hpp"
#include "kr/error.hpp"
#include "support.hpp"

using namespace kr::test;

namespace {

/// A stream that is released, and what it gives.
class ReadStream {
 public:
  explicit ReadStream(Table table, std::shared_ptr<const void> owner = nullptr) {
    kr::render::arrow(std::move(table), std::move(owner), &stream);
  }
  ~ReadStream() {
    if (stream.release != nullptr) stream.release(&stream);
  }
  ReadStream(const ReadStream&) = delete;
  ArrowArrayStream stream{};
};

struct ReadBatch {
  ArrowArray array{};
  explicit ReadBatch(ArrowArrayStream& stream) { REQUIRE(stream.get_next(&stream, &array) == 0); }
  ~ReadBatch() {
    if (array.release != nullptr) array.release(&array);
  }
  ReadBatch(const ReadBatch&) = delete;

  bool at_end() const { return array.release == nullptr; }
  const ArrowArray& column(int64_t i) const { return *array.children[i]; }
  bool valid(int64_t i, int64_t row) const {
    const auto* bits = static_cast<const uint8_t*>(column(i).buffers[0]);
    return bits == nullptr || (bits[row / 8] >> (row % 8) & 1) != 0;
  }
  template <class T>
  T value(int64_t i, int64_t row) const {
    return static_cast<const T*>(column(i).buffers[1])[row];
  }
  bool bit(int64_t i, int64_t row) const {
    return (value<uint8_t>(i, row / 8) >> (row % 8) & 1) != 0;
  }
  std::string text(int64_t i, int64_t row) const {
    const auto begin = value<int64_t>(i, row);
    return {static_cast<const char*>(column(i).buffers[2]) + begin,
            static_cast<size_t>(value<int64_t>(i, row + 1) - begin)};
  }
};

std::map<std::string, std::string> metadata(const char* bytes) {
  const auto number = [&] {
    int32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    bytes += sizeof value;
    return value;
  };
  const auto text = [&] {
    const auto size = static_cast<size_t>(number());
    std::string value(bytes, size);
    bytes += size;
    return value;
  };
  std::map<std::string, std::string> out;
  for (int32_t left = number(); left > 0; --left) {
    const std::string key = text();
    out[key] = text();
  }
  return out;
}

const kr::TableInfo cells_info{"cells",
                               "some cells",
                               "One row per kind of cell.",
                               {{"name", Unit::text, Role::key, "A name.", true},
                                {"total_ns", Unit::ns, Role::measure, "A time.", true},
                                {"mean_ns", Unit::ns, Role::measure, "A mean.", true},
                                {"seen", Unit::boolean, Role::detail, "Whether it was seen.", true},
                                {"calls", Unit::count, Role::measure, "Calls."},
                                {"short", Unit::text, Role::short_form, "For people."}}};

Table cells_table() {
  return {cells_info, cells_info.columns, [](RowSink& sink) {
            sink.row({"µs", int64_t{-5}, 2.5, int64_t{1}, int64_t{7}, ""});
            sink.row({Cell(), Cell(), Cell(), Cell(), 8.0, ""});
            sink.row({std::string_view("a\xff\0b", 4), int64_t{1} << 62, int64_t{3}, int64_t{0},
                      int64_t{9}, ""});
          }};
}

}  // namespace

TEST_CASE("columns of a stream have types, nullability and metadata") {
  ReadStream read(cells_table());
  ArrowSchema schema{};
  REQUIRE(read.stream.get_schema(&read.stream, &schema) == 0);
  CHECK(std::string(schema.format) == "+s");
  CHECK(metadata(schema.metadata) ==
        std::map<std::string, std::string>{
            {"table", "cells"}, {"title", "some cells"}, {"doc", "One row per kind of cell."}});
  std::string columns;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& one = *schema.children[i];
    columns += std::string(one.name) + ":" + one.format + (one.flags != 0 ? "? " : " ");
  }
  CHECK(columns == "name:U? total_ns:l? mean_ns:g? seen:b? calls:l ");
  CHECK(
      metadata(schema.children[1]->metadata) ==
      std::map<std::string, std::string>{{"unit", "ns"}, {"role", "measure"}, {"doc", "A time."}});
  // A child that was moved away is released by whoever has it.
  ArrowSchema moved = *schema.children[0];
  schema.children[0]->release = nullptr;
  schema.release(&schema);
  CHECK((schema.release == nullptr));
  CHECK(std::string(moved.name) == "name");
  moved.release(&moved);
}

TEST_CASE("cells of a stream, with nothing and bytes that are not UTF-8") {
  ReadStream read(cells_table());
  const ReadBatch batch(read.stream);
  REQUIRE(batch.array.length == 3);
  CHECK(batch.array.n_children == 5);
  const auto nulls = [&](int64_t i) { return batch.column(i).null_count; };
  for (int64_t i = 0; i < 4; ++i) {
    CHECK(nulls(i) == 1);
    CHECK((batch.valid(i, 0) && !batch.valid(i, 1) && batch.valid(i, 2)));
  }
  CHECK(nulls(4) == 0);
  CHECK(batch.column(4).buffers[0] == nullptr);
  CHECK(batch.text(0, 0) == "µs");
  CHECK(batch.text(0, 1).empty());
  CHECK(batch.text(0, 2) == std::string("a\\xff\0b", 7));
  CHECK(batch.value<int64_t>(1, 0) == -5);
  CHECK(batch.value<int64_t>(1, 2) == int64_t{1} << 62);
  CHECK(batch.value<double>(2, 0) == 2.5);
  CHECK(batch.value<double>(2, 2) == 3.0);
  CHECK((batch.bit(3, 0) && !batch.bit(3, 2)));
  CHECK(batch.value<int64_t>(4, 1) == 8);
  CHECK(ReadBatch(read.stream).at_end());
  CHECK(ReadBatch(read.stream).at_end());
}

TEST_CASE("a stream may have no rows, one batch or many, and end early") {
  ReadStream none(empty_table());
  CHECK(ReadBatch(none.stream).at_end());

  const auto numbers = [](int64_t rows) {
    return Table(long_info, long_info.columns, [rows](RowSink& sink) {
      for (int64_t i = 0; i < rows; ++i) sink.row({i, i % 3 == 0 ? "three" : ""});
    });
  };
  constexpr int64_t full = kr::render::arrow_batch_rows;
  for (const int64_t rows : {full - 1, full, full + 1, 3 * full + 5}) {
    ReadStream read(numbers(rows));
    int64_t next = 0;
    while (true) {
      const ReadBatch batch(read.stream);
      if (batch.at_end()) break;
      CHECK(batch.array.length == std::min(full, rows - next));
      for (int64_t row = 0; row < batch.array.length; ++row, ++next) {
        if (batch.value<int64_t>(0, row) != next) FAIL("row " << next);
        if (batch.text(1, row) != (next % 3 == 0 ? "three" : "")) FAIL("text " << next);
      }
    }
    CHECK(next == rows);
  }
  // Released in the middle, and never read.
  auto owner = std::make_shared<int>(1);
  {
    ReadStream read(numbers(10 * full), owner);
    const ReadBatch batch(read.stream);
    CHECK(batch.array.length == full);
    const ReadStream unread(numbers(1), owner);
    CHECK(owner.use_count() == 3);
  }
  CHECK(owner.use_count() == 1);
}

TEST_CASE("what a table throws is the stream's error") {
  const auto failing = [](auto thrown) {
    return Table(long_info, long_info.columns, [thrown](RowSink& sink) {
      for (int64_t i = 0; i <= kr::render::arrow_batch_rows; ++i) sink.row({i, ""});
      throw thrown;
    });
  };
  ReadStream read(failing(kr::Error("trace.csv", "it is gone")));
  CHECK(ReadBatch(read.stream).array.length == kr::render::arrow_batch_rows);
  ArrowArray array{};
  for (int i = 0; i < 2; ++i) {
    CHECK(read.stream.get_next(&read.stream, &array) == EIO);
    CHECK((array.release == nullptr));
    CHECK(std::string(read.stream.get_last_error(&read.stream)) == "trace.csv: it is gone");
  }
  ReadStream memory(failing(std::bad_alloc()));
  ReadBatch(memory.stream);
  CHECK(memory.stream.get_next(&memory.stream, &array) == ENOMEM);
  // A column of whole numbers has no others.
  ReadStream wrong(Table(cells_info, cells_info.columns, [](RowSink& sink) {
    sink.row({"a", int64_t{1}, 1.0, int64_t{0}, 2.5, ""});
  }));
  CHECK(wrong.stream.get_next(&wrong.stream, &array) == EIO);
  CHECK(std::string(wrong.stream.get_last_error(&wrong.stream)).starts_with("internal error: "));
}
