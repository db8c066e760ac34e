// Findings as one JSON array, of the shape that docs/cli.md writes down.
#include "base/json_writer.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

class Writer {
 public:
  Writer(const source::SourceMap& sources, std::string& out) : sources_(sources), json_(out) {}

  void add(const Diagnostic& diagnostic) {
    json_.open('{', true);
    json_.key("code").text(diagnostic.code->id);
    json_.key("name").text(diagnostic.code->name);
    json_.key("severity").text(to_string(diagnostic.severity));
    json_.key("message").text(diagnostic.message);
    begin_of(diagnostic.span);
    const bool placed = diagnostic.span.valid();
    const source::Position end = placed ? sources_.end(diagnostic.span) : source::Position();
    number_or_null("end_line", placed, end.line);
    number_or_null("end_column", placed, end.column);
    json_.key("related").open('[');
    for (const Related& related : diagnostic.related_) {
      json_.open('{');
      json_.key("message").text(related.message);
      begin_of(related.span);
      json_.close('}');
    }
    json_.close(']');
    json_.key("witness");
    if (diagnostic.witness) {
      json_.text(*diagnostic.witness);
    } else {
      json_.null();
    }
    json_.key("fix");
    fix(diagnostic.fix);
    json_.close('}');
  }

  void open() { json_.open('['); }
  void close() { json_.close(']'); }

 private:
  void number_or_null(std::string_view key, bool known, uint32_t value) {
    json_.key(key);
    if (known) {
      json_.number(value);
    } else {
      json_.null();
    }
  }

  void begin_of(source::Span span) {
    const bool placed = span.valid();
    json_.key("file");
    if (placed) {
      json_.text(sources_.path(span.file));
    } else {
      json_.null();
    }
    const source::Position begin = placed ? sources_.begin(span) : source::Position();
    number_or_null("line", placed, begin.line);
    number_or_null("column", placed, begin.column);
  }

  void fix(const std::optional<Fix>& fix) {
    if (!fix) return json_.null();
    json_.open('{');
    json_.key("safe").number(fix->safe);
    json_.key("edits").open('[');
    for (const Edit& edit : fix->edits) {
      json_.open('{');
      json_.key("start").number(edit.span.begin);
      json_.key("end").number(edit.span.end);
      json_.key("text").text(edit.text);
      json_.close('}');
    }
    json_.close(']');
    json_.close('}');
  }

  const source::SourceMap& sources_;
  JsonWriter json_;
};

}  // namespace

std::string render_json(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics) {
  std::string text;
  Writer writer(sources, text);
  writer.open();
  for (const Diagnostic& diagnostic : diagnostics) writer.add(diagnostic);
  writer.close();
  return text + '\n';
}

}  // namespace kr::diag
