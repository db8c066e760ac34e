// Values that several owners share and nobody changes.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace kr {

template <class Value>
std::shared_ptr<const std::remove_cvref_t<Value>> shared(Value&& value) {
  return std::make_shared<const std::remove_cvref_t<Value>>(std::forward<Value>(value));
}

}  // namespace kr
