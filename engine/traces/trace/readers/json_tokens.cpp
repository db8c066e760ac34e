#include "trace/readers/json_tokens.hpp"

#include <simdjson.h>

#include <limits>
#include <new>

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/json_text.hpp"

namespace kr::trace {

struct JsonTokens::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
};

JsonTokens::JsonTokens() : parser_(std::make_unique<Parser>()) {}
JsonTokens::~JsonTokens() = default;

bool JsonTokens::find(std::string_view text) {
  KR_CHECK(text.size() < std::numeric_limits<uint32_t>::max());
  end_ = static_cast<uint32_t>(text.size());
  starts_ = &end_;
  count_ = 0;
  if (text.empty()) return true;
  auto& stage = parser_->stage;
  if (!stage || stage->capacity() < text.size()) {
    stage.reset();
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        text.size(), 1, stage);
    if (error != simdjson::SUCCESS) throw std::bad_alloc();
  }
  const auto error = stage->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                                   simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return true;
  // UTF8_ERROR is said last, when all tokens are found: names are any bytes.
  if (error != simdjson::SUCCESS && error != simdjson::UTF8_ERROR) return false;
  starts_ = stage->structural_indexes.get();
  count_ = stage->n_structural_indexes;
  KR_CHECK(count_ != 0 && starts_[count_] == end_);
  return true;
}

namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Behind at least one digit; null where there is none.
const char* past_digits(const char* at) noexcept {
  if (!is_digit(*at)) return nullptr;
  while (is_digit(*at)) ++at;
  return at;
}

// Of a token that something else follows.
bool is_number_token(std::string_view token) noexcept {
  const char* at = token.data();
  if (*at == '-') ++at;
  at = *at == '0' ? at + 1 : past_digits(at);
  if (at != nullptr && *at == '.') at = past_digits(at + 1);
  if (at != nullptr && (*at == 'e' || *at == 'E')) {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    at = past_digits(at);
  }
  return at == token.data() + token.size();
}

}  // namespace

bool is_json_number(const std::string& text) noexcept {
  return !text.empty() && is_number_token(text);
}

JsonWalk::JsonWalk(std::string_view text, const JsonTokens& tokens, size_t levels)
    : text_(text.data()),
      at_(tokens.starts()),
      levels_(levels),
      backslashes_(text.find('\\') != text.npos) {}

// Behind the last byte of the token that is not a space.
size_t JsonWalk::token_end() const noexcept {
  size_t end = at_[1];
  while (is_space(text_[end - 1])) --end;
  return end;
}

bool JsonWalk::escapes_are_right(std::string_view raw) {
  if (raw.find('\\') == raw.npos) return true;
  unescaped_.clear();
  return append_unescaped(unescaped_, raw).kind == EscapeFault::Kind::none;
}

std::string_view JsonWalk::unescaped(std::string_view raw, std::string& to) const {
  if (raw.find('\\') == raw.npos) return raw;
  to.clear();
  append_unescaped(to, raw);
  return to;
}

bool JsonWalk::odd_scalar(JsonRaw& out) {
  if (*at_ == at_[1] || peek() == '\0') return false;
  out.text = {text_ + *at_, token_end() - *at_};
  const std::string_view word = out.text;
  if (is_number_token(word)) {
    out.kind = JsonRaw::Kind::number;
  } else if (word == "null") {
    out.kind = JsonRaw::Kind::null;
  } else if (word == "true" || word == "false" || word == "NaN" || word == "Infinity" ||
             word == "-Infinity") {
    // Python writes the last three.
    out.kind = JsonRaw::Kind::other;
  } else {
    return false;
  }
  ++at_;
  return true;
}

// An object or list, with all that is in it.
bool JsonWalk::nested() {
  size_t depth = 0;
  const auto in_object = [&] {
    return (objects_[(depth - 1) / 64] >> ((depth - 1) % 64) & 1) != 0;
  };
  const auto enter = [&](bool object) {
    if (levels_ + depth == JsonPull::max_depth) return false;
    if (depth / 64 == objects_.size()) objects_.push_back(0);
    const uint64_t bit = uint64_t{1} << depth % 64;
    objects_[depth / 64] = object ? objects_[depth / 64] | bit : objects_[depth / 64] & ~bit;
    ++depth;
    ++at_;
    return true;
  };
  std::string_view text;
  JsonRaw passed;
  while (true) {
    // A value, or the begin of one.
    bool whole = true;
    const char first = peek();
    if (first == '{' || first == '[') {
      if (!enter(first == '{')) return false;
      whole = step_over(first == '{' ? '}' : ']');
      if (whole) --depth;
    } else if (first == '"' ? !string(text) : !scalar(passed)) {
      return false;
    }
    // What ends with it, and the comma behind that.
    while (whole) {
      if (depth == 0) return true;
      if (step_over(',')) {
        whole = false;
      } else if (step_over(in_object() ? '}' : ']')) {
        --depth;
      } else {
        return false;
      }
    }
    if (in_object() && !(string(text) && step_over(':'))) return false;
  }
}

}  // namespace kr::trace
