// KR318, KR408: abbreviations without effect, and abbreviations whose order matters.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lint/checks.hpp"
#include "sema/abbreviate.hpp"

namespace kr::lint {
namespace {

/// Longer texts are not compared part by part.
constexpr size_t longest_compared = 256;

/// Whether an end of `a` is a start of `b`.
bool overlaps(std::string_view a, std::string_view b) {
  for (size_t n = 1; n <= std::min(a.size(), b.size()); ++n) {
    if (a.substr(a.size() - n) == b.substr(0, n)) return true;
  }
  return false;
}

/// Whether replacing anything by `to` can create a new `text`: only if the two overlap, or if `to`
/// is empty, so that the text before and after joins.
bool can_create(std::string_view to, std::string_view text) {
  if (to.size() > longest_compared || text.size() > longest_compared) return true;  // perhaps
  return to.empty() || to.find(text) != to.npos || text.find(to) != text.npos ||
         overlaps(to, text) || overlaps(text, to);
}

/// The proven reason why an abbreviation has no effect, and the place of the one that causes it.
struct Useless {
  std::string why;
  source::Span earlier;
};

/// The rest of a longer list is not examined: each is compared with all before it.
constexpr size_t max_examined = 500;

/// By index in the list; none if an abbreviation may have an effect.
std::vector<std::optional<Useless>> useless_of(const std::vector<sema::Abbreviation>& all) {
  std::vector<std::optional<Useless>> found(all.size());
  for (size_t index = 0; index < all.size(); ++index) {
    const sema::Abbreviation& one = all[index];
    if (one.from == one.to) found[index] = Useless{"it is replaced by itself", {}};
    if (index >= max_examined) continue;
    for (size_t i = 0; i < index && !found[index]; ++i) {
      const sema::Abbreviation& earlier = all[i];
      if (found[i] || one.from.find(earlier.from) == one.from.npos) continue;
      // No later replacement may create the earlier text again.
      bool stays_gone = true;
      for (size_t k = i; k < index && stays_gone; ++k) {
        stays_gone = found[k] || !can_create(all[k].to, earlier.from);
      }
      if (!stays_gone) continue;
      found[index] = Useless{fmt::format("`{}` is replaced first", earlier.from), earlier.span};
    }
  }
  return found;
}

/// Texts in which two abbreviations may conflict.
std::vector<std::string> meetings(const sema::Abbreviation& a, const sema::Abbreviation& b) {
  std::vector<std::string> texts{a.from, b.from};
  if (std::max({a.from.size(), a.to.size(), b.from.size()}) > longest_compared) return texts;
  for (const auto& [x, y] : {std::pair(a.from, b.from), std::pair(b.from, a.from)}) {
    for (size_t n = 1; n < std::min(x.size(), y.size()); ++n) {
      if (x.substr(x.size() - n) == y.substr(0, n)) texts.push_back(x + y.substr(n));
    }
  }
  // The replacement of one may be part of the other.
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (x->to.empty()) continue;
    for (size_t at = y->from.find(x->to); at != std::string::npos;
         at = y->from.find(x->to, at + 1)) {
      std::string text = y->from;
      texts.push_back(text.replace(at, x->to.size(), x->from));
    }
  }
  return texts;
}

/// The order of further abbreviations of a model is not examined: every pair is tested on texts,
/// among all others.
constexpr size_t max_compared = 100;

struct Clash {
  std::string text;
  std::string in_order;
  std::string swapped;
};
std::optional<Clash> clash(const std::vector<sema::Abbreviation>& all, size_t first,
                           size_t second) {
  std::vector<sema::Abbreviation> swapped = all;
  std::swap(swapped[first], swapped[second]);
  const std::vector<sema::Abbreviation> pair{all[first], all[second]};
  const std::vector<sema::Abbreviation> swapped_pair{all[second], all[first]};
  for (const std::string& text : meetings(all[first], all[second])) {
    // The two alone must clash, and the clash must be visible among all others.
    if (sema::abbreviate(text, pair) == sema::abbreviate(text, swapped_pair)) continue;
    std::string a = sema::abbreviate(text, all);
    std::string b = sema::abbreviate(text, swapped);
    if (a != b) return Clash{text, std::move(a), std::move(b)};
  }
  return std::nullopt;
}

}  // namespace

void check_abbreviations(const Context& context, diag::Sink& sink) {
  struct Found {
    size_t models = 0;   // that have it
    size_t useless = 0;  // in which it has no effect
    Useless why;
    const sema::Abbreviation* one = nullptr;
  };
  std::map<std::pair<source::FileId, uint32_t>, Found> found;
  std::set<std::pair<uint32_t, uint32_t>> reported;
  for (const sema::Model& model : context.program().models) {
    const std::vector<sema::Abbreviation>& all = model.abbreviations;
    const auto useless = useless_of(all);
    for (size_t i = 0; i < all.size(); ++i) {
      Found& here = found[{all[i].span.file, all[i].span.begin}];
      here.one = &all[i];
      ++here.models;
      if (useless[i]) {
        ++here.useless;
        here.why = *useless[i];
        continue;
      }
      if (!context.is_root(all[i].span.file) || i >= max_compared) continue;
      for (size_t k = 0; k < i; ++k) {
        if (useless[k]) continue;
        const auto found_clash = clash(all, k, i);
        if (!found_clash || !reported.insert({all[k].span.begin, all[i].span.begin}).second)
          continue;
        diag::Diagnostic& added =
            sink.add(diag::code::abbreviation_order, all[i].span, all[i].from, all[k].from);
        added.related(all[k].span, "this one is applied first");
        added.help("`{}` becomes `{}`; in the other order `{}`", found_clash->text,
                   found_clash->in_order, found_clash->swapped);
        added.witness = found_clash->text;
      }
    }
  }
  for (const auto& [place, here] : found) {
    if (here.useless < here.models) continue;
    diag::Diagnostic& added =
        sink.add(diag::code::useless_abbreviation, here.one->span, here.one->from, here.why.why);
    if (here.why.earlier.valid()) {
      added.related(here.why.earlier, "replaced here");
      added.help("move it before the other, or remove it");
    } else {
      added.help("remove it");
    }
  }
}

}  // namespace kr::lint
