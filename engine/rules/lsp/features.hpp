// The features of the server, one file per feature. Each function writes the `result` of its
// request.
#pragma once

#include "lsp/rpc.hpp"
#include "lsp/workspace.hpp"

namespace kr::lsp {

/// A request: a place in an open document.
struct Question {
  Workspace& workspace;
  OpenDocument& document;
  Encoding encoding = Encoding::utf16;
  size_t offset = 0;              // bytes in the document
  bool with_declaration = false;  // of a request for references
};

void write_hover(Question question, Writer& out);
void write_definition(Question question, Writer& out);
void write_references(Question question, Writer& out);
void write_symbols(Question question, Writer& out);
void write_highlights(Question question, Writer& out);
void write_folding(Question question, Writer& out);
void write_semantic_tokens(Question question, Writer& out);
/// The range of the name that can be renamed. Throws RequestError: none is at this place, or it
/// cannot be renamed.
void write_rename_range(Question question, Writer& out);
/// A WorkspaceEdit for all files that open documents use. Throws RequestError, also if the new name
/// cannot be one or exists.
void write_rename(Question question, const std::string& name, Writer& out);
/// The declarations of all files that open documents use, by a part of their name.
void write_workspace_symbols(Workspace& workspace, Encoding encoding, const std::string& query,
                             Writer& out);
/// The types and modifiers of write_semantic_tokens, as members of the capability's `legend`.
std::string_view semantic_legend();
void write_completion(Question question, Writer& out);
void write_formatting(Question question, Writer& out);
/// For the bytes from `offset` to `end` of a document that has its findings.
void write_code_actions(Question question, size_t end, Writer& out);
/// Params of textDocument/publishDiagnostics.
void write_diagnostics(const OpenDocument& document, Encoding encoding, Writer& out);
/// One diagnostic of the document's root file.
void write_diagnostic(const OpenDocument& document, const diag::Diagnostic& diagnostic,
                      Encoding encoding, Writer& out);

/// What a finding of this code means, as markdown.
std::string about_code(const diag::CodeInfo& info);

/// Between backticks, on one line; the text may contain backticks.
std::string as_code(std::string_view text);

/// What an expression matches, after “a name”: `that contains "gemm"`; alternatives as a list, one
/// per line. Empty for an expression that could not be parsed.
std::string describe(const syntax::File& tree, syntax::ExprId expr);
/// The steps of a chain in words, one per line.
std::string describe(const syntax::File& tree, const std::vector<syntax::ChainStep>& chain);

/// One line about a keyword, or `@kernel` and similar; empty for other words.
std::string_view about_word(std::string_view word);

/// A place where a name is declared or used.
struct Occurrence {
  std::string uri;
  const Analysis* analysis = nullptr;  // of an open document
  source::Span span;
  const Symbol* symbol = nullptr;
  bool declares = false;
};

/// All places of the symbol at the question's place, in all files that open documents use, each
/// once; empty: there is no symbol, or nothing that has a URI declares it.
std::vector<Occurrence> occurrences(Question& question);

/// The analysis of the document. Throws RequestError if it cannot be loaded.
Analysis& analysis_of(Question& question);

}  // namespace kr::lsp
