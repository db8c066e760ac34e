// Diagnostics as data: code, message, place, related places, help, an edit. The phases add them to
// a Sink; renderers (diag/render.hpp) turn them into text.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/codes.hpp"
#include "source/source_map.hpp"

namespace kr::diag {

struct Related {
  source::Span span;
  std::string message;
};

struct Edit {
  source::Span span;
  std::string text;
};

struct Fix {
  /// It keeps the meaning of the rules. Of an error, which gives the rules none: it is certainly
  /// what was meant.
  bool safe = false;
  std::vector<Edit> edits;
  std::string title = {};  // what it does: `move it above …`; empty: the help says it
};

struct Diagnostic {
  const CodeInfo* code = nullptr;
  Severity severity = Severity::error;
  source::Span span;
  std::string message;
  std::vector<Related> related_;
  std::string help_;                   // may be empty
  std::optional<std::string> witness;  // an example name
  std::optional<Fix> fix;
  /// Several remedies of which a person has to choose one. Nothing applies them by itself.
  std::vector<Fix> choices;

  template <class... Args>
  Diagnostic& related(source::Span where, fmt::format_string<Args...> text, Args&&... args) {
    related_.push_back({where, fmt::format(text, std::forward<Args>(args)...)});
    return *this;
  }
  template <class... Args>
  Diagnostic& help(fmt::format_string<Args...> text, Args&&... args) {
    help_ = fmt::format(text, std::forward<Args>(args)...);
    return *this;
  }
  /// The certain remedy is to write `text` in place of what is at `where`.
  Diagnostic& replace(source::Span where, std::string text) {
    fix = Fix{true, {{where, std::move(text)}}};
    return *this;
  }
  /// The same of a remedy that is only likely: another name that exists.
  Diagnostic& suggest(source::Span where, std::string text) {
    fix = Fix{false, {{where, std::move(text)}}};
    return *this;
  }
};

/// Collects the diagnostics of one run.
class Sink {
 public:
  /// The reference is valid until the next `add`.
  template <int N, class... Args>
  Diagnostic& add(const Code<N>& code, source::Span span, const Args&... args) {
    static_assert(sizeof...(Args) == N, "wrong number of arguments for this code");
    return add(*code.info(), span,
               fmt::vformat(code.info()->message, fmt::make_format_args(args...)));
  }
  Diagnostic& add(const CodeInfo& info, source::Span span, std::string message);

  /// The last one added; there is one. Valid until the next `add`.
  Diagnostic& last() { return diagnostics_.back(); }

  bool has_errors() const noexcept { return errors_ > 0; }
  size_t errors() const noexcept { return errors_; }
  const std::vector<Diagnostic>& all() const noexcept { return diagnostics_; }
  /// Sorted by file and offset. The sort is stable: phases keep their order at one place.
  std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
};

}  // namespace kr::diag
