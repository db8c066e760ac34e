// The labels of a dimension: `labels` declarations, what they extend, and the union over several
// modules.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/budget.hpp"
#include "sema/program.hpp"
#include "sema/scope.hpp"

namespace kr::sema {

/// Labels, the nearest declaration first. If a label is declared twice, the nearer title and colour
/// win, and the other declaration supplies what the nearer omits.
class Vocabulary {
 public:
  void add(const Label& label);
  void add(const Vocabulary& farther);

  bool closed() const noexcept { return closed_; }
  void close(source::Span declared) {
    closed_ = true;
    if (!declared_.valid()) declared_ = declared;
  }
  bool has(std::string_view label) const { return places_.contains(std::string(label)); }
  const std::vector<Label>& labels() const noexcept { return labels_; }
  /// The nearest declaration.
  source::Span declared() const noexcept { return declared_; }
  std::vector<std::string> names() const;

 private:
  std::vector<Label> labels_;
  std::unordered_map<std::string, size_t> places_;
  source::Span declared_;
  bool closed_ = false;
};

/// The labels of `kind`; no file can add any.
inline constexpr std::string_view kind_labels[] = {"compute", "communication", "memory"};

class Vocabularies {
 public:
  Vocabularies(const Scope& scope, Budget& budget, diag::Sink& sink);

  /// The labels that a module declares for a dimension, with those that it extends. Empty and open
  /// if there is no declaration.
  const Vocabulary& of(source::FileId module, std::string_view dimension) const;
  /// The labels of several modules, the nearest first, without duplicates. For `kind`, always the
  /// three labels.
  Vocabulary merged(const std::vector<source::FileId>& modules, std::string_view dimension) const;

 private:
  void declare(Found found, Vocabulary& vocabulary);
  const Scope& scope_;
  Budget& budget_;
  diag::Sink& sink_;
  std::vector<std::unordered_map<std::string, Vocabulary>> declared_;  // by module and dimension
};

/// `unclassified` and the other labels that only kr gives.
bool is_reserved(std::string_view label);
/// Reports a reserved label.
bool report_reserved(const syntax::Word& label, diag::Sink& sink);

}  // namespace kr::sema
