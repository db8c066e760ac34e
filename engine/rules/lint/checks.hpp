// The checks of `kr lint`. Each is a function over the loaded rules. Only findings in root files
// are kept.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lint/lint.hpp"
#include "regex/regex.hpp"
#include "testing/testing.hpp"

namespace kr::lint {

/// A text or regular expression of a root file as written, whether or not an engine uses it.
struct WrittenAtom {
  const syntax::Expr* expr = nullptr;
  /// Made for each call: those of a large file would take much more memory than the file. None if
  /// it was an error.
  std::optional<regex::Regex> regex() const;
  bool is_regex() const { return expr->kind == syntax::ExprKind::regex; }
  /// Whether it may have named groups.
  bool has_group_text() const { return is_regex() && expr->text.find("(?") != std::string::npos; }
  /// The whole item of a `fold`, where a single text without anchors and flag is a whole name.
  bool lone_fold = false;
};

/// The input of all checks.
struct Context {
  const match::CompiledRules& compiled;
  const LintOptions& options;
  std::vector<const sema::LoadedFile*> roots;
  std::vector<WrittenAtom> atoms;           // of the root files
  prove::Allowance& allowance;              // for the proofs of findings that are shown by default
  std::vector<testing::TestSubject> tests;  // the names in the file's own tests, matched

  const sema::LoadedRules& rules() const { return *compiled.rules; }
  const sema::Program& program() const { return compiled.program(); }
  const source::SourceMap& sources() const { return compiled.sources(); }
  bool is_root(source::FileId file) const { return file.valid() && rules().files[file.index].root; }
  bool has_engine(const sema::LoadedFile& file) const { return !file.tree.engines.empty(); }
};

/// The steps for one part of the work on a file: `share` times the default.
prove::Allowance allowance_for(const LintOptions& options, size_t share = 1);

/// The dimension of which `name` is probably a misspelling (KR418). A dimension with its own
/// `labels` is none.
std::optional<std::string> dimension_meant(const syntax::File& tree, const std::string& name);
/// Whether a root file has a block `name` that is probably meant as `phases`, which needs neither
/// an `otherwise` nor tests.
bool is_meant_as_phases(const Context& context, const std::string& name);

/// Groups the KR315 of one engine and dimension into one finding, at the first label.
void group_untested(std::vector<diag::Diagnostic>& findings);

/// The difference of two colours `#rrggbb` by CIEDE2000. About 1 is just visible side by side.
double color_distance(std::string_view a, std::string_view b);

void check_reachability(const Context& context, diag::Sink& sink);  // KR301 to KR303, KR305, KR306,
                                                                    // KR308, KR401, KR413
void check_overlaps(const Context& context, diag::Sink& sink);      // KR402, KR403, KR414
void check_otherwise(const Context& context, diag::Sink& sink);     // KR304
void check_phase_numbers(const Context& context, diag::Sink& sink);  // KR321, KR329
void check_regexes(const Context& context, diag::Sink& sink);        // KR307, KR309, KR310, KR405,
                                                                     // KR415
void check_chains(const Context& context, diag::Sink& sink);         // KR333 to KR338, KR401, KR413
void check_costs(const Context& context, diag::Sink& sink);          // KR322, KR323, KR324
void check_unused(const Context& context, diag::Sink& sink);         // KR311, KR312, KR313
void check_labels(const Context& context, diag::Sink& sink);         // KR314, KR315, KR412
void check_agreed(const Context& context, diag::Sink& sink);         // KR204
void check_tests(const Context& context, diag::Sink& sink);          // KR316
void check_folds(const Context& context, diag::Sink& sink);          // KR317
void check_abbreviations(const Context& context, diag::Sink& sink);  // KR318, KR408
void check_colors(const Context& context, diag::Sink& sink);         // KR320, KR410
void check_cases(const Context& context, diag::Sink& sink);          // KR404
void check_broad_texts(const Context& context, diag::Sink& sink);    // KR406
void check_detection(const Context& context, diag::Sink& sink);      // KR407, KR419
void check_dialects(const Context& context, diag::Sink& sink);       // KR409
void check_names(const Context& context, diag::Sink& sink);          // KR411, KR418
void check_phases(const Context& context, diag::Sink& sink);         // KR420
void check_regex_texts(const Context& context, diag::Sink& sink);    // KR417
void check_metadata(const Context& context, diag::Sink& sink);       // KR325 to KR328

/// The spelling of a text atom.
std::string written_text(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end);

/// The edit that removes a span, with its whole line if nothing else is on it.
diag::Edit removal(const source::SourceMap& sources, source::Span span);

/// Moves a rule above another one of the same block, if each has its own lines and no comment is
/// directly above the first.
std::optional<diag::Fix> move_above(const source::SourceMap& sources, const syntax::File& tree,
                                    source::Span rule, source::Span target);

/// Adds edits to findings of loading: KR225.
void add_repairs(const Context& context, std::vector<diag::Diagnostic>& findings);

}  // namespace kr::lint
