// Findings as one JSON array; docs/cli.md documents its shape.
#include <initializer_list>

#include "base/json_writer.hpp"
#include "diag/renderers.hpp"

namespace kr::diag {
namespace {

class FindingWriter {
 public:
  FindingWriter(const source::SourceMap& sources, JsonWriter& json)
      : sources_(sources), json_(json) {}

  void add(const Diagnostic& diagnostic) {
    json_.open('{', true);
    json_.key("code").text(diagnostic.code->id);
    json_.key("name").text(diagnostic.code->name);
    json_.key("severity").text(to_string(diagnostic.severity));
    json_.key("message").text(diagnostic.message);
    begin_of(diagnostic.span);
    end_of(diagnostic.span);
    json_.key("related").open('[');
    for (const Related& related : diagnostic.related_) {
      json_.open('{');
      json_.key("message").text(related.message);
      begin_of(related.span);
      json_.close('}');
    }
    json_.close(']');
    if (diagnostic.witness) {
      json_.key("witness").text(*diagnostic.witness);
    } else {
      nulls({"witness"});
    }
    if (diagnostic.fix) {
      json_.key("fix");
      fix(*diagnostic.fix);
    } else {
      nulls({"fix"});
    }
    if (!diagnostic.choices.empty()) {
      json_.key("choices").open('[');
      for (const Fix& one : diagnostic.choices) fix(one);
      json_.close(']');
    }
    json_.close('}');
  }

 private:
  void nulls(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) json_.key(key).null();
  }

  void begin_of(source::Span span) {
    if (!span.valid()) return nulls({"file", "line", "column"});
    const source::Position begin = sources_.begin(span);
    json_.key("file").text(sources_.path(span.file));
    json_.key("line").number(begin.line);
    json_.key("column").number(begin.column);
  }

  void end_of(source::Span span) {
    if (!span.valid()) return nulls({"end_line", "end_column"});
    const source::Position end = sources_.end(span);
    json_.key("end_line").number(end.line);
    json_.key("end_column").number(end.column);
  }

  void fix(const Fix& fix) {
    json_.open('{');
    if (!fix.title.empty()) json_.key("title").text(fix.title);
    json_.key("safe").number(fix.safe);
    json_.key("edits").open('[');
    for (const Edit& edit : fix.edits) {
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
  JsonWriter& json_;
};

}  // namespace

std::string render_json(const source::SourceMap& sources, std::span<const Diagnostic> diagnostics) {
  std::string text;
  JsonWriter json(text);
  FindingWriter writer(sources, json);
  json.open('[');
  for (const Diagnostic& diagnostic : diagnostics) writer.add(diagnostic);
  json.close(']');
  return text + '\n';
}

}  // namespace kr::diag
