// The documents that are open in the editor, and their analyses.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/analysis.hpp"
#include "lsp/text.hpp"

namespace kr::lsp {

struct OpenDocument {
  Document document;
  std::filesystem::path path;  // canonical; the URI if the document has no file
  bool is_file = false;
  std::shared_ptr<Analysis> analysis;      // of the current text, or null
  std::vector<diag::Diagnostic> findings;  // those of `analysis`, in its root file
  std::string trouble;                     // why there is no analysis
  uint64_t edited = 0;                     // increases with every edit of any document
  bool checked = false;                    // the findings are those of the current text
  bool published = false;                  // the findings were sent to the editor
};

class Workspace {
 public:
  explicit Workspace(source::Library library) : library_(std::move(library)) {}

  const source::Library& library() const { return library_; }

  /// A document that is opened again loses its state.
  OpenDocument& open(Document document);
  /// Throws RequestError if it is not open.
  OpenDocument& get(std::string_view uri);
  /// Null if it is not open.
  OpenDocument* find(std::string_view uri);
  bool close(std::string_view uri);
  /// The editor has changed the document's text.
  void edited(OpenDocument& document);
  /// A document or a file on disk has changed: analyses that read it are stale.
  void changed(const std::filesystem::path& path);

  /// Loads the document if needed. Null if that fails.
  const std::shared_ptr<Analysis>& analysis(OpenDocument& document);
  /// Loads the document. If that fails, the document is checked: its findings are those of loading.
  /// Otherwise the returned check gives the findings.
  std::optional<Check> start_check(OpenDocument& document);
  /// Stores the findings of a check that is_current(). Returns their document.
  OpenDocument& finish_check(Check check);
  /// Whether the check is of the current text.
  bool is_current(const Check& check) const;
  /// The last edited document whose findings are not published; null if there is none.
  OpenDocument* unpublished();

  /// By URI.
  std::map<std::string, OpenDocument, std::less<>>& documents() { return documents_; }

 private:
  /// By any path to it; null if it is not open.
  const OpenDocument* at_path(const std::filesystem::path& path) const;
  source::Library library_;
  uint64_t edits_ = 0;
  std::shared_ptr<Remembered> remembered_ = std::make_shared<Remembered>();
  std::map<std::string, OpenDocument, std::less<>> documents_;
};

}  // namespace kr::lsp
