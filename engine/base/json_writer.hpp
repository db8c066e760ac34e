// JSON, appended as it is read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/json.hpp"

namespace kr {

/// A comma comes by itself between elements; brackets are the caller's to close.
class JsonWriter {
 public:
  enum class Place : uint8_t {
    file,
    /// Inside a script element of a page; see append_for_script.
    script,
  };
  explicit JsonWriter(std::string& out, Place place = Place::file) : out_(out), place_(place) {}
  /// `line`: the element begins a line of its own.
  JsonWriter& key(std::string_view name, bool line = false) {
    element();
    if (line) out_ += '\n';
    append(name);
    out_ += ':';
    bare_ = true;
    return *this;
  }
  void text(std::string_view value) {
    element();
    append(value);
  }
  void null() {
    element();
    out_ += "null";
  }
  /// In a script a whole number that no double can represent is a text: JavaScript would round it.
  template <class Number>
  void number(Number value) {
    element();
    if constexpr (std::is_integral_v<Number> && sizeof(Number) == sizeof(int64_t)) {
      constexpr int64_t largest_exact = (int64_t{1} << 53) - 1;
      if (place_ == Place::script &&
          (std::cmp_greater(value, largest_exact) || std::cmp_less(value, -largest_exact))) {
        return append(fmt::format("{}", value));
      }
    }
    out_ += fmt::format("{}", value);
  }
  void open(char bracket, bool line = false) {
    element();
    if (line) out_ += '\n';
    out_ += bracket;
    bare_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    bare_ = false;
  }

  /// Members of the open object, as text.
  void members(std::string_view written) {
    element();
    out_ += written;
  }

 private:
  void append(std::string_view text) {
    if (place_ == Place::file) return append_json_string(out_, text);
    append_for_script(out_, json_string(text));
  }
  void element() {
    if (!bare_) out_ += ',';
    bare_ = false;
  }
  std::string& out_;
  Place place_;
  bool bare_ = true;  // nothing before it that wants a comma
};

}  // namespace kr
