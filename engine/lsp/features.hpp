// What the server answers about an open document, one file a feature. Each writes the `result` of
// its request.
#pragma once

#include "lsp/rpc.hpp"
#include "lsp/workspace.hpp"

namespace kr::lsp {

/// Where the user asks.
struct Question {
  Workspace& workspace;
  OpenDocument& document;
  Encoding encoding = Encoding::utf16;
  size_t offset = 0;  // bytes in the document
};

void write_hover(Question question, Writer& out);
void write_definition(Question question, Writer& out);
void write_references(Question question, bool with_declaration, Writer& out);
void write_symbols(Question question, Writer& out);
void write_completion(Question question, Writer& out);
void write_formatting(Question question, Writer& out);
/// For the bytes from `offset` to `end` of a document whose findings are there.
void write_code_actions(Question question, size_t end, Writer& out);
/// Params of textDocument/publishDiagnostics.
void write_diagnostics(const OpenDocument& document, Encoding encoding, Writer& out);
/// One diagnostic of the document's root file.
void write_diagnostic(const OpenDocument& document, const diag::Diagnostic& diagnostic,
                      Encoding encoding, Writer& out);

/// What a finding of this code means, as markdown.
std::string about_code(const diag::CodeInfo& info);

/// The analysis of the document. Throws RequestError where it cannot be loaded.
Analysis& analysis_of(Question& question);

}  // namespace kr::lsp
