// What is open in the editor, and what is known about it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/analysis.hpp"
#include "lsp/check.hpp"
#include "lsp/text.hpp"

namespace kr::lsp {

struct OpenDocument {
  Document document;
  std::filesystem::path path;  // canonical; for an unsaved text without file, its URI
  bool is_file = false;
  std::shared_ptr<Analysis> analysis;      // of the text as it is, or null
  std::vector<diag::Diagnostic> findings;  // those of `analysis`, in its root file
  std::string trouble;                     // why there is no analysis
  uint64_t edited = 0;                     // rises from edit to edit of all documents
  bool checked = false;                    // the findings are those of the text as it is
  bool published = false;                  // the editor has been sent them
};

class Workspace {
 public:
  explicit Workspace(source::Library library) : library_(std::move(library)) {}

  const source::Library& library() const { return library_; }

  /// Opened again, a document begins anew.
  OpenDocument& open(Document document);
  /// Throws RequestError where it is not open.
  OpenDocument& get(std::string_view uri);
  /// Null where it is not open.
  OpenDocument* find(std::string_view uri);
  bool close(std::string_view uri);
  /// The editor has given the document another text.
  void edited(OpenDocument& document);
  /// A document's text, or a file on disk, is another now: those that read it are stale.
  void changed(const std::filesystem::path& path);

  /// Loads the document where that is not done. Null where it cannot be.
  Analysis* analysis(OpenDocument& document);
  /// Loads the document. One that does not load is checked then: there are no findings but why.
  /// Of another its findings are given by the check, once it has run.
  std::optional<Check> start_check(OpenDocument& document);
  /// Takes the findings. The document they are of; null where it is closed or another by now.
  OpenDocument* finish_check(Check check);
  /// Whether the document is still the one that is checked.
  bool is_current(const Check& check) const;
  /// Of the documents whose findings are not published the one edited last; null: none.
  OpenDocument* unpublished();

  /// By URI.
  std::map<std::string, OpenDocument, std::less<>>& documents() { return documents_; }

 private:
  const std::shared_ptr<Analysis>& loaded(OpenDocument& document);
  /// By any path that leads to it; null where it is not open.
  const OpenDocument* at_path(const std::filesystem::path& path) const;
  source::Library library_;
  uint64_t edits_ = 0;
  std::shared_ptr<Remembered> remembered_ = std::make_shared<Remembered>();
  std::map<std::string, OpenDocument, std::less<>> documents_;
};

}  // namespace kr::lsp
