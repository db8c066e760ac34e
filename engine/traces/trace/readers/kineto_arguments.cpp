#include "trace/readers/kineto_arguments.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/integer.hpp"
#include "base/json_read.hpp"

namespace kr::trace {
namespace {

JsonValue list_in(std::string_view text) {
  if (text.empty()) return {};
  try {
    return parse_json(text, "");
  } catch (const Error&) {
    return {};  // strings may contain any bytes
  }
}

const JsonValue* item(const JsonValue& list, size_t place) {
  return place < list.items.size() ? &list.items[place] : nullptr;
}

/// Whole numbers; false: they are something else.
bool whole_numbers(const JsonValue* list, std::vector<int64_t>& out) {
  if (list == nullptr || list->kind != JsonValue::Kind::array) return false;
  for (const JsonValue& one : list->items) {
    if (one.kind != JsonValue::Kind::integer || one.integer < 0) return false;
    out.push_back(one.integer);
  }
  return true;
}

std::optional<int64_t> whole_value(std::string_view text) {
  if (text == "True" || text == "true") return 1;
  if (text == "False" || text == "false") return 0;
  return integer_from(text);
}

/// `3`, `True`, `[1, 1]`.
void take_concrete(std::string_view text, OpArgument& argument) {
  if (!text.starts_with('[')) {
    if (const auto value = whole_value(text)) {
      argument.kind = OpArgument::Kind::scalar;
      argument.values = {*value};
    }
    return;
  }
  if (!text.ends_with(']')) return;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    const auto value = whole_value(one);
    if (!value) {
      argument.values.clear();
      return;
    }
    argument.values.push_back(*value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  argument.kind = OpArgument::Kind::list;
}

bool is_list_of_lists(const JsonValue* dims) {
  return dims != nullptr && !dims->items.empty() &&
         dims->items.front().kind == JsonValue::Kind::array;
}

}  // namespace

OpArguments kineto_arguments(const KinetoInputs& inputs) {
  const JsonValue dims = list_in(inputs[0]);
  const JsonValue types = list_in(inputs[1]);
  const JsonValue strides = list_in(inputs[2]);
  const JsonValue concrete = list_in(inputs[3]);
  OpArguments arguments(dims.items.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    OpArgument& argument = arguments[i];
    const JsonValue* const typed = item(types, i);
    const std::string type = typed != nullptr ? typed->string : "";
    argument.type = element_type_of_profiler(type);
    std::vector<int64_t> shape;
    if (type == "TensorList" || is_list_of_lists(item(dims, i))) {
      argument.kind = OpArgument::Kind::tensors;
    } else if (whole_numbers(item(dims, i), shape) &&
               (!shape.empty() || argument.type != ElementType::unknown)) {
      argument.kind = OpArgument::Kind::tensor;
      // Two four-bit elements are one element of this type.
      if (argument.type == ElementType::fp4 && type.ends_with("_x2") && !shape.empty() &&
          shape.back() < INT64_MAX / 2) {
        shape.back() *= 2;
      }
      argument.dims = std::move(shape);
      std::vector<int64_t> steps;
      if (whole_numbers(item(strides, i), steps) && steps.size() == argument.dims.size()) {
        argument.strides = std::move(steps);
      }
    } else if (const JsonValue* const value = item(concrete, i); value != nullptr) {
      take_concrete(value->string, argument);
    }
  }
  return arguments;
}

}  // namespace kr::trace
