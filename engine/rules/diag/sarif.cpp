// Findings as SARIF 2.1.0, which code hosts and editors read.
#include <map>

#include "base/json_writer.hpp"
#include "base/printable.hpp"
#include "base/uri.hpp"
#include "diag/characters.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

std::string_view level(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

/// A path as a URI; relative if the path is relative.
std::string uri_of(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  return (path.starts_with('/') ? "file://" : "") + uri_path(path);
}

/// `printable` applied to each line.
std::string printable_lines(std::string_view text) {
  std::string shown;
  for (;;) {
    const size_t end = text.find('\n');
    shown += printable(text.substr(0, end));
    if (end == std::string_view::npos) return shown;
    shown += '\n';
    text.remove_prefix(end + 1);
  }
}

class Log {
 public:
  Log(const source::SourceMap& sources, std::string& out)
      : sources_(sources), characters_(sources), json_(out) {}

  void write(std::span<const Diagnostic> diagnostics, const FormatOptions& options) {
    json_.open('{');
    json_.key("$schema").text("https://json.schemastore.org/sarif-2.1.0.json");
    json_.key("version").text("2.1.0");
    json_.key("runs").open('[');
    json_.open('{');
    tool(options);
    json_.key("columnKind").text("unicodeCodePoints");
    json_.key("results").open('[');
    for (const Diagnostic& diagnostic : diagnostics) result(diagnostic);
    json_.close(']');
    json_.close('}');
    json_.close(']');
    json_.close('}');
  }

 private:
  /// An object of one text.
  void object(std::string_view key, std::string_view member, std::string_view text) {
    json_.key(key).open('{');
    json_.key(member).text(text);
    json_.close('}');
  }

  void message(std::string_view key, std::string_view text) {
    object(key, "text", printable_lines(text));
  }

  void tool(const FormatOptions& options) {
    json_.key("tool").open('{');
    json_.key("driver").open('{');
    json_.key("name").text("kr");
    if (!options.version.empty()) json_.key("semanticVersion").text(options.version);
    json_.key("rules").open('[');
    for (const CodeInfo& info : all_codes()) {
      if (info.severity == Severity::retired) continue;
      rule_index_.emplace(&info, rule_index_.size());
      rule(info, options.page ? options.page(info) : std::string_view());
    }
    json_.close(']');
    json_.close('}');
    json_.close('}');
  }

  void rule(const CodeInfo& info, std::string_view page) {
    json_.open('{', true);
    json_.key("id").text(info.id);
    json_.key("name").text(info.name);
    message("shortDescription", description(info));
    if (!page.empty()) {
      json_.key("help").open('{');
      json_.key("text").text(page);
      json_.key("markdown").text(page);
      json_.close('}');
    }
    object("defaultConfiguration", "level", level(info.severity));
    json_.close('}');
  }

  void result(const Diagnostic& diagnostic) {
    json_.open('{', true);
    json_.key("ruleId").text(diagnostic.code->id);
    json_.key("ruleIndex").number(rule_index_.at(diagnostic.code));
    json_.key("level").text(level(diagnostic.severity));
    message("message", diagnostic.help_.empty() ? diagnostic.message
                                                : diagnostic.message + '\n' + diagnostic.help_);
    json_.key("locations").open('[');
    if (diagnostic.span.valid()) {
      json_.open('{');
      place(diagnostic.span);
      json_.close('}');
    }
    json_.close(']');
    related(diagnostic);
    fixes(diagnostic);
    if (diagnostic.witness) object("properties", "witness", printable(*diagnostic.witness));
    json_.close('}');
  }

  void place(source::Span span) {
    json_.key("physicalLocation").open('{');
    artifact(span.file);
    json_.key("region");
    region(span);
    json_.close('}');
  }

  void artifact(source::FileId file) {
    object("artifactLocation", "uri", uri_of(sources_.path(file)));
  }

  void region(source::Span span) {
    const source::Position begin = characters_.position(span.file, span.begin);
    const source::Position end = characters_.position(span.file, span.end);
    const uint32_t before = characters_.before(span.file, span.begin);
    json_.open('{');
    json_.key("startLine").number(begin.line);
    json_.key("startColumn").number(begin.column);
    json_.key("endLine").number(end.line);
    json_.key("endColumn").number(end.column);
    json_.key("charOffset").number(before);
    json_.key("charLength").number(characters_.before(span.file, span.end) - before);
    json_.key("byteOffset").number(span.begin);
    json_.key("byteLength").number(span.size());
    json_.close('}');
  }

  void related(const Diagnostic& diagnostic) {
    if (diagnostic.related_.empty()) return;
    json_.key("relatedLocations").open('[');
    for (size_t i = 0; i < diagnostic.related_.size(); ++i) {
      const Related& one = diagnostic.related_[i];
      json_.open('{');
      json_.key("id").number(i + 1);
      if (one.span.valid()) place(one.span);
      message("message", one.message);
      json_.close('}');
    }
    json_.close(']');
  }

  void fixes(const Diagnostic& diagnostic) {
    if (!diagnostic.fix && diagnostic.choices.empty()) return;
    json_.key("fixes").open('[');
    if (diagnostic.choices.empty()) fix(diagnostic, *diagnostic.fix);
    for (const Fix& one : diagnostic.choices) fix(diagnostic, one);
    json_.close(']');
  }

  void fix(const Diagnostic& diagnostic, const Fix& fix) {
    std::map<uint32_t, std::vector<const Edit*>> by_file;
    for (const Edit& edit : fix.edits) by_file[edit.span.file.index].push_back(&edit);
    json_.open('{');
    // An error gives the rules no meaning that a fix could keep.
    const bool error = diagnostic.severity == Severity::error;
    message("description", !fix.title.empty() ? fix.title
                           : error            ? diagnostic.help_
                           : fix.safe         ? "Keeps the meaning of the rules."
                                              : "May change meaning.");
    json_.key("artifactChanges").open('[');
    for (const auto& [file, edits] : by_file) {
      json_.open('{');
      artifact(edits.front()->span.file);
      json_.key("replacements").open('[');
      for (const Edit* edit : edits) {
        json_.open('{');
        json_.key("deletedRegion");
        region(edit->span);
        object("insertedContent", "text", edit->text);
        json_.close('}');
      }
      json_.close(']');
      json_.close('}');
    }
    json_.close(']');
    json_.key("properties").open('{');
    json_.key("safe").number(fix.safe);
    json_.close('}');
    json_.close('}');
  }

  const source::SourceMap& sources_;
  Characters characters_;
  JsonWriter json_;
  std::map<const CodeInfo*, size_t> rule_index_;
};

}  // namespace

std::string render_sarif(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics,
                         const FormatOptions& options) {
  std::string text;
  Log(sources, text).write(diagnostics, options);
  return text + '\n';
}

}  // namespace kr::diag
