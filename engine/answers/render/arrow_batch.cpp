#include "render/arrow_batch.hpp"

#include <cmath>
#include <memory>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "render/columns.hpp"

namespace kr::render {
namespace {

using Type = ArrowColumns::Type;

Type arrow_type(const Column& column) {
  if (is_text(column.unit)) return Type::text;
  if (column.unit == Unit::boolean) return Type::boolean;
  return may_have_fraction(column) ? Type::number : Type::whole;
}

const char* arrow_format(Type type) {
  switch (type) {
    case Type::text:
      return "U";
    case Type::whole:
      return "l";
    case Type::number:
      return "g";
    case Type::boolean:
      return "b";
  }
  return "n";
}

using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// Numbers of pairs and lengths as int32 in the byte order of the machine, then the bytes.
std::string arrow_metadata(const Pairs& pairs) {
  std::string out;
  const auto add_number = [&](size_t number) {
    const auto value = static_cast<int32_t>(number);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add_number(pairs.size());
  for (const auto& [key, value] : pairs) {
    for (const std::string_view text : {key, value}) {
      add_number(text.size());
      out += text;
    }
  }
  return out;
}

/// A schema with all that it points to.
struct OwnedSchema {
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

void release_schema(ArrowSchema* schema) {
  auto* owned = static_cast<OwnedSchema*>(schema->private_data);
  for (ArrowSchema* child : owned->pointers) {
    if (child->release != nullptr) child->release(child);
  }
  delete owned;
  schema->release = nullptr;
}

void give_schema(std::unique_ptr<OwnedSchema> owned, const char* format, int64_t flags,
                 ArrowSchema* out) {
  for (ArrowSchema& child : owned->children) owned->pointers.push_back(&child);
  *out = ArrowSchema{.format = format,
                     .name = owned->name.c_str(),
                     .metadata = owned->metadata.c_str(),
                     .flags = flags,
                     .n_children = static_cast<int64_t>(owned->pointers.size()),
                     .children = owned->pointers.data(),
                     .dictionary = nullptr,
                     .release = release_schema,
                     .private_data = nullptr};
  out->private_data = owned.release();
}

void set_bit(std::vector<uint8_t>& bits, int64_t row, bool value) {
  const auto byte = static_cast<size_t>(row / 8);
  if (bits.size() <= byte) bits.resize(byte + 1);
  if (value) bits[byte] = static_cast<uint8_t>(bits[byte] | (1 << (row % 8)));
}

/// A batch's own children.
struct OwnedChildren {
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  const void* no_validity = nullptr;
};

}  // namespace

ArrowColumns::ArrowColumns(const Table& table) {
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const Column& column = table.columns()[i];
    if (is_in_files(column)) columns_.push_back({i, arrow_type(column), column});
  }
}

void ArrowColumns::schema(const TableInfo& info, ArrowSchema* out) const {
  auto whole = std::make_unique<OwnedSchema>();
  whole->metadata = arrow_metadata({{"table", info.id}, {"title", info.title}, {"doc", info.doc}});
  whole->children.resize(columns_.size());
  whole->pointers.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const auto& [index, type, column] = columns_[i];
    auto one = std::make_unique<OwnedSchema>();
    one->name = column.id;
    one->metadata = arrow_metadata(
        {{"unit", to_string(column.unit)}, {"role", to_string(column.role)}, {"doc", column.doc}});
    give_schema(std::move(one), arrow_format(type), column.optional ? ARROW_FLAG_NULLABLE : 0,
                &whole->children[i]);
  }
  give_schema(std::move(whole), "+s", 0, out);
}

ArrowBatch::ArrowBatch(const ArrowColumns& columns) : columns_(columns) {
  begin();
}

void ArrowBatch::begin() {
  rows_ = 0;
  buffers_.clear();
  buffers_.resize(columns_.all().size());
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (columns_.all()[i].type == Type::text) buffers_[i].whole.push_back(0);
  }
}

void ArrowBatch::add(std::span<const Cell> cells) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const ArrowColumns::ArrowColumn& column = columns_.all()[i];
    add(cells[column.index], column.type, buffers_[i]);
  }
  ++rows_;
}

void ArrowBatch::add(const Cell& cell, Type type, Buffers& to) const {
  const bool nothing = is_nothing(cell);
  const auto* text = std::get_if<std::string_view>(&cell);
  const auto* whole = std::get_if<int64_t>(&cell);
  const auto* number = std::get_if<double>(&cell);
  if (nothing && to.nulls++ == 0) {
    for (int64_t row = 0; row < rows_; ++row) set_bit(to.valid, row, true);
  }
  if (to.nulls != 0) set_bit(to.valid, rows_, !nothing);
  switch (type) {
    case Type::text:
      KR_CHECK(nothing || text != nullptr);
      if (text != nullptr && is_utf8(*text)) {
        to.text += *text;
      } else if (text != nullptr) {
        to.text += utf8_text(*text);
      }
      to.whole.push_back(static_cast<int64_t>(to.text.size()));
      return;
    case Type::whole:
      // The type of a column is that of all its rows.
      KR_CHECK(text == nullptr && (number == nullptr || std::trunc(*number) == *number));
      to.whole.push_back(whole != nullptr    ? *whole
                         : number != nullptr ? static_cast<int64_t>(*number)
                                             : 0);
      return;
    case Type::number:
      KR_CHECK(text == nullptr);
      to.numbers.push_back(number != nullptr  ? *number
                           : whole != nullptr ? static_cast<double>(*whole)
                                              : 0.0);
      return;
    case Type::boolean:
      KR_CHECK(nothing || whole != nullptr);
      set_bit(to.bits, rows_, whole != nullptr && *whole != 0);
      return;
  }
}

void ArrowBatch::release_column(ArrowArray* array) {
  delete static_cast<Buffers*>(array->private_data);
  array->release = nullptr;
}

void ArrowBatch::release_batch(ArrowArray* array) {
  auto* owned = static_cast<OwnedChildren*>(array->private_data);
  for (ArrowArray* child : owned->pointers) {
    if (child->release != nullptr) child->release(child);
  }
  delete owned;
  array->release = nullptr;
}

void ArrowBatch::take(ArrowArray* out) {
  auto owned = std::make_unique<OwnedChildren>();
  owned->children.resize(buffers_.size());
  for (ArrowArray& child : owned->children) owned->pointers.push_back(&child);
  std::vector<std::unique_ptr<Buffers>> columns;
  for (Buffers& one : buffers_) columns.push_back(std::make_unique<Buffers>(std::move(one)));
  // Nothing fails from here on.
  for (size_t i = 0; i < columns.size(); ++i) {
    Buffers& column = *columns[i];
    const Type type = columns_.all()[i].type;
    column.pointers[0] = column.nulls != 0 ? column.valid.data() : nullptr;
    column.pointers[1] = type == Type::boolean  ? static_cast<const void*>(column.bits.data())
                         : type == Type::number ? static_cast<const void*>(column.numbers.data())
                                                : column.whole.data();
    column.pointers[2] = column.text.c_str();
    owned->children[i] = ArrowArray{.length = rows_,
                                    .null_count = column.nulls,
                                    .offset = 0,
                                    .n_buffers = type == Type::text ? 3 : 2,
                                    .n_children = 0,
                                    .buffers = column.pointers,
                                    .children = nullptr,
                                    .dictionary = nullptr,
                                    .release = release_column,
                                    .private_data = columns[i].release()};
  }
  *out = ArrowArray{.length = rows_,
                    .null_count = 0,
                    .offset = 0,
                    .n_buffers = 1,
                    .n_children = static_cast<int64_t>(owned->pointers.size()),
                    .buffers = &owned->no_validity,
                    .children = owned->pointers.data(),
                    .dictionary = nullptr,
                    .release = release_batch,
                    .private_data = nullptr};
  out->private_data = owned.release();
  begin();
}

}  // namespace kr::render
