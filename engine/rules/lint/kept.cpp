#include "lint/kept.hpp"

#include <algorithm>
#include <exception>
#include <unordered_set>

#include "base/bytes.hpp"
#include "match/cache.hpp"

namespace kr::lint {
namespace {

constexpr std::string_view kept_magic = "kr findings 1\n";

match::CacheFile kept_in(const std::filesystem::path& folder) {
  return {folder, "findings", ".krfindings"};
}

class Writer : public ByteWriter {
 public:
  void span(const source::Span& span) {
    number(span.file.index);
    number(span.begin);
    number(span.end);
  }
  void fix(const diag::Fix& fix) {
    number(fix.safe ? 1 : 0);
    number(fix.edits.size());
    for (const diag::Edit& edit : fix.edits) {
      span(edit.span);
      text(edit.text);
    }
    text(fix.title);
  }
  void finding(const diag::Diagnostic& one) {
    text(one.code->id);
    number(static_cast<uint64_t>(one.severity));
    span(one.span);
    text(one.message);
    number(one.related_.size());
    for (const diag::Related& related : one.related_) {
      span(related.span);
      text(related.message);
    }
    text(one.help_);
    number(one.witness ? 1 : 0);
    text(one.witness.value_or(""));
    number(one.fix ? 1 : 0);
    if (one.fix) fix(*one.fix);
    number(one.choices.size());
    for (const diag::Fix& choice : one.choices) fix(choice);
  }
};

/// Reads what Writer writes. After damage it reads zeros, and `is_whole` is false.
class Reader {
 public:
  Reader(std::string_view bytes, const source::SourceMap& sources)
      : bytes_(bytes), sources_(sources) {}

  bool is_whole() const { return whole_ && bytes_.left() == 0; }

  uint64_t number() {
    const auto read = bytes_.number();
    whole_ &= read.has_value();
    return read.value_or(0);
  }
  std::string text() {
    const auto read = bytes_.text();
    whole_ &= read.has_value();
    return std::string(read.value_or(""));
  }
  /// How many elements follow, each of some bytes.
  size_t count() {
    const uint64_t count = number();
    if (count > bytes_.left()) whole_ = false;
    return whole_ ? count : 0;
  }
  source::FileId file() {
    const uint64_t file = number();
    if (file < sources_.size()) return {static_cast<uint32_t>(file)};
    if (file != source::FileId().index) whole_ = false;
    return {};
  }
  source::Span span() {
    source::Span span;
    span.file = file();
    const uint64_t begin = number();
    const uint64_t end = number();
    const size_t size = span.valid() ? sources_.text(span.file).size() : 0;
    if (begin > end || end > size) {
      whole_ = false;
      return {};
    }
    span.begin = static_cast<uint32_t>(begin);
    span.end = static_cast<uint32_t>(end);
    return span;
  }
  diag::Fix fix() {
    diag::Fix fix;
    fix.safe = number() != 0;
    fix.edits.resize(count());
    for (diag::Edit& edit : fix.edits) {
      edit.span = span();
      edit.text = text();
    }
    fix.title = text();
    return fix;
  }
  diag::Diagnostic finding() {
    diag::Diagnostic one;
    one.code = diag::find_code(text());
    whole_ &= one.code != nullptr;
    const uint64_t severity = number();
    whole_ &= severity <= static_cast<uint64_t>(diag::Severity::error);
    one.severity = static_cast<diag::Severity>(severity);
    one.span = span();
    one.message = text();
    one.related_.resize(count());
    for (diag::Related& related : one.related_) {
      related.span = span();
      related.message = text();
    }
    one.help_ = text();
    const bool has_witness = number() != 0;
    std::string witness = text();
    if (has_witness) one.witness = std::move(witness);
    if (number() != 0) one.fix = fix();
    one.choices.resize(count());
    for (diag::Fix& choice : one.choices) choice = fix();
    return one;
  }

 private:
  ByteReader bytes_;
  const source::SourceMap& sources_;
  bool whole_ = true;
};

}  // namespace

Hash128 digest_of(const sema::ReadRules& read) {
  ByteWriter key;
  const sema::LoadedRules& rules = *read.rules;
  for (const sema::LoadedFile& file : rules.files) {
    key.text(rules.sources.path(file.file));
    key.number(rules.sources.text(file.file).size());
    key.hash(hash128(rules.sources.text(file.file)));
    key.number(file.root ? 1 : 0);
    key.number(read.uses[file.file.index].size());
    for (const source::FileId used : read.uses[file.file.index]) key.number(used.index);
  }
  key.number(read.kind.index);
  return hash128(std::move(key).take());
}

Hash128 digest_of(const Hash128& rules, const LintOptions& options,
                  std::span<const Used> used_elsewhere) {
  ByteWriter key;
  key.hash(rules);
  key.number(options.infos ? 1 : 0);
  key.number(options.effort);
  key.number(options.known_names.size());
  for (const std::string& name : options.known_names) key.text(name);
  key.number(options.vocabulary.size());
  for (const auto& [dimension, labels] : options.vocabulary) {
    key.text(dimension);
    key.number(labels.size());
    for (const std::string& label : labels) key.text(label);
  }
  key.number(used_elsewhere.size());
  for (const Used& used : used_elsewhere) {
    key.number(static_cast<uint64_t>(used.noun));
    key.text(used.name);
  }
  return hash128(std::move(key).take());
}

std::string to_bytes(const std::vector<diag::Diagnostic>& findings) {
  Writer writer;
  writer.number(findings.size());
  for (const diag::Diagnostic& one : findings) writer.finding(one);
  return std::move(writer).take();
}

std::optional<std::vector<diag::Diagnostic>> findings_from(std::string_view bytes,
                                                           const source::SourceMap& sources) {
  Reader reader(bytes, sources);
  std::vector<diag::Diagnostic> findings(reader.count());
  for (diag::Diagnostic& one : findings) one = reader.finding();
  return reader.is_whole() ? std::optional(std::move(findings)) : std::nullopt;
}

std::string to_bytes(const std::set<Declaration>& used) {
  ByteWriter writer;
  writer.number(used.size());
  for (const Declaration& one : used) {
    writer.number(one.module.index);
    writer.number(static_cast<uint64_t>(one.noun));
    writer.text(one.name);
  }
  return std::move(writer).take();
}

std::optional<std::set<Declaration>> declarations_from(std::string_view bytes,
                                                       const source::SourceMap& sources) {
  Reader reader(bytes, sources);
  std::set<Declaration> used;
  for (size_t left = reader.count(); left > 0; --left) {
    const source::FileId module = reader.file();
    const auto noun = static_cast<sema::Noun>(reader.number());
    used.insert(used.end(), {module, noun, reader.text()});
    if (!module.valid()) return std::nullopt;
  }
  return reader.is_whole() ? std::optional(std::move(used)) : std::nullopt;
}

Kept::Kept(const std::optional<match::Database::Cache>& cache) : cache_(cache) {
  if (!cache) return;
  if (const auto made = cache->install.databases(); !made.empty()) {
    const auto entries = read(kept_in(made).read_installed(cache->install));
    installed_.insert(entries.begin(), entries.end());
  }
  if (cache->folder.empty()) return;
  own_ = read(kept_in(cache->folder).read());
  known_.insert(own_.begin(), own_.end());
}

std::vector<Kept::Entry> Kept::read(std::string bytes) {
  texts_.push_back(std::move(bytes));
  ByteReader file(texts_.back());
  std::vector<Entry> entries;
  if (file.text() != kept_magic || file.text() != lint_version() ||
      file.text() != match::Database::version()) {
    return entries;
  }
  ByteReader body(file.checked().value_or(""));
  while (body.left() > 0) {
    const auto digest = body.hash();
    const auto text = body.text();
    if (!digest || !text) return {};
    entries.emplace_back(*digest, *text);
  }
  return entries;
}

std::optional<std::string_view> Kept::find(const Hash128& digest) const {
  for (const auto* entries : {&installed_, &known_}) {
    if (const auto at = entries->find(digest); at != entries->end()) return at->second;
  }
  return std::nullopt;
}

void Kept::add(const Hash128& digest, std::string bytes) {
  if (bytes.size() > max_bytes_each || installed_.contains(digest)) return;
  if (!known_.contains(digest)) {
    is_new_ = true;
    known_.emplace(digest, texts_.emplace_back(std::move(bytes)));
  }
  added_.emplace_back(digest, known_.at(digest));
}

void Kept::write() const noexcept {
  if (!is_new_ || !cache_ || cache_->folder.empty()) return;
  try {
    ByteWriter body;
    size_t size = 0;
    std::unordered_set<Hash128> written;
    for (const std::vector<Entry>* entries : {&added_, &own_}) {
      for (const auto& [digest, text] : *entries) {
        if (size + text.size() > max_bytes || !written.insert(digest).second) continue;
        size += text.size();
        body.hash(digest);
        body.text(text);
      }
    }
    ByteWriter file;
    file.text(kept_magic);
    file.text(lint_version());
    file.text(match::Database::version());
    file.checked(std::move(body).take());
    kept_in(cache_->folder).write(std::move(file).take());
  } catch (const std::exception&) {
    return;  // the next process lints again
  }
}

}  // namespace kr::lint
