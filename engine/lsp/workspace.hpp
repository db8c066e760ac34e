// What is open in the editor, and what is known about it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/analysis.hpp"
#include "lsp/text.hpp"
#include "match/memo.hpp"
#include "prove/memo.hpp"

namespace kr::lsp {

struct OpenDocument {
  Document document;
  std::filesystem::path path;  // canonical; for an unsaved text without file, its URI
  bool is_file = false;
  std::unique_ptr<Analysis> analysis;  // of the text as it is, or null
  std::vector<Diagnostic> findings;    // those of `analysis`, in its root file
  std::string trouble;                 // why there is no analysis
  uint64_t edited = 0;                 // rises from edit to edit of all documents
  bool checked = false;                // the findings are those of the text as it is
};

class Workspace {
 public:
  explicit Workspace(Library library) : library_(std::move(library)) {}

  const Library& library() const { return library_; }

  /// Opened again, a document begins anew.
  OpenDocument& open(Document document);
  /// Throws RequestError where it is not open.
  OpenDocument& get(std::string_view uri);
  bool close(std::string_view uri);
  /// The editor has given the document another text.
  void edited(OpenDocument& document);
  /// A document's text, or a file on disk, is another now: those that read it are stale.
  void changed(const std::filesystem::path& path);

  /// Loads the document where that is not done. Null where it cannot be.
  Analysis* analysis(OpenDocument& document);
  /// Brings the findings up to date.
  void check(OpenDocument& document);
  /// Of the documents whose findings are not up to date the one edited last; null: none.
  OpenDocument* unchecked();

  /// By URI.
  std::map<std::string, OpenDocument, std::less<>>& documents() { return documents_; }

 private:
  /// By any path that leads to it; null where it is not open.
  const OpenDocument* find(const std::filesystem::path& path) const;
  Library library_;
  uint64_t edits_ = 0;
  // What stays the same from edit to edit is matched and proven once.
  std::shared_ptr<MatchMemo> memo_ = std::make_shared<MatchMemo>();
  prove::ProofMemo proofs_;
  std::map<std::string, OpenDocument, std::less<>> documents_;
};

}  // namespace kr::lsp
