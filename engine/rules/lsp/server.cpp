#include "lsp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace kr::lsp {
namespace {

const std::string& uri_in(const JsonValue& params) {
  return string_member(member(params, "textDocument"), "uri");
}

Encoding encoding_wanted(const JsonValue& params) {
  const JsonValue* capabilities = params.find("capabilities");
  const JsonValue* general = capabilities == nullptr ? nullptr : capabilities->find("general");
  const JsonValue* offered = general == nullptr ? nullptr : general->find("positionEncodings");
  if (offered == nullptr) return Encoding::utf16;
  for (const JsonValue& one : offered->items) {
    if (one.string == to_string(Encoding::utf8)) return Encoding::utf8;
  }
  return Encoding::utf16;
}

constexpr std::string_view capabilities =
    R"("textDocumentSync":{"openClose":true,"change":2,"save":true},)"
    R"("hoverProvider":true,"definitionProvider":true,"referencesProvider":true,)"
    R"("documentSymbolProvider":true,"documentFormattingProvider":true,)"
    R"("completionProvider":{"triggerCharacters":[".","@","("]},)"
    R"("documentHighlightProvider":true,"foldingRangeProvider":true,)"
    R"("workspaceSymbolProvider":true,"renameProvider":{"prepareProvider":true},)"
    R"("codeActionProvider":{"codeActionKinds":["quickfix"]})";

}  // namespace

Analysis& analysis_of(Question& question) {
  const std::shared_ptr<Analysis>& analysis = question.workspace.analysis(question.document);
  if (analysis == nullptr) {
    throw RequestError(ErrorCode::request_failed, question.document.trouble);
  }
  return *analysis;
}

std::vector<std::string> Server::broken(std::string_view why) const {
  return {error_answer("null", ErrorCode::parse_error, why)};
}

std::vector<std::string> Server::receive(std::string_view body) {
  outbox_.clear();
  std::string id;
  bool answers = true;
  const auto fail = [&](ErrorCode code, std::string_view why) {
    outbox_.clear();
    if (answers) {
      outbox_.push_back(error_answer(id, code, why));
    } else {
      log(why);
    }
  };
  try {
    const std::optional<Message> message = read_message(body, id);
    if (!message) return {};
    answers = !message->id.empty();
    if (answers) {
      handle_request(*message);
    } else {
      handle_notification(*message);
    }
  } catch (const RequestError& error) {
    fail(error.code(), error.what());
  } catch (const Error& error) {
    fail(ErrorCode::request_failed, error.what());
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& error) {
    fail(ErrorCode::internal_error, error.what());
  }
  settle_waiting();
  stop_stale_check();
  return std::move(outbox_);
}

void Server::log(std::string_view text) {
  if (state_ != State::running) return;
  outbox_.push_back(notification("window/logMessage", [&](Writer& out) {
    out.open('{');
    out.key("type").number(2);
    out.key("message").text(text);
    out.close('}');
  }));
}

void Server::initialize(const Message& message) {
  if (state_ != State::fresh) {
    throw RequestError(ErrorCode::invalid_request, "`initialize` was already received");
  }
  state_ = State::running;
  encoding_ = encoding_wanted(message.params);
  outbox_.push_back(answer(message.id, [&](Writer& out) {
    out.open('{');
    out.key("capabilities").open('{');
    out.key("positionEncoding").text(to_string(encoding_));
    out.members(capabilities);
    out.key("semanticTokensProvider").open('{');
    out.key("legend").open('{');
    out.members(semantic_legend());
    out.close('}');
    out.key("full").boolean(true);
    out.close('}');
    out.close('}');
    out.key("serverInfo").open('{');
    out.key("name").text("kr");
    out.key("version").text(version_);
    out.close('}');
    out.close('}');
  }));
}

Question Server::question(const JsonValue& params) {
  OpenDocument& open = workspace_.get(uri_in(params));
  Question question{workspace_, open, encoding_};
  if (const JsonValue* position = params.find("position")) {
    question.offset =
        open.document.lines.offset(open.document.text, place_of(*position), encoding_);
  }
  if (const JsonValue* context = params.find("context")) {
    const JsonValue* with = context->find("includeDeclaration");
    question.with_declaration = with != nullptr && with->boolean;
  }
  return question;
}

void Server::handle_request(const Message& message) {
  const std::string& method = message.method;
  const JsonValue& params = message.params;
  if (method == "initialize") return initialize(message);
  if (state_ == State::fresh) {
    throw RequestError(ErrorCode::not_initialized, "`initialize` was not received yet");
  }
  if (state_ == State::shut_down) {
    throw RequestError(ErrorCode::invalid_request, "the server is shut down");
  }
  if (method == "shutdown") {
    state_ = State::shut_down;
    settle_waiting();
    outbox_.push_back(answer(message.id, [](Writer& out) { out.null(); }));
    return;
  }
  using Feature = void (*)(Question, Writer&);
  struct Row {
    std::string_view method;
    Feature feature;
    bool at_position;
  };
  static constexpr auto rows = std::to_array<Row>({
      {"textDocument/hover", write_hover, true},
      {"textDocument/definition", write_definition, true},
      {"textDocument/completion", write_completion, true},
      {"textDocument/references", write_references, true},
      {"textDocument/documentSymbol", write_symbols, false},
      {"textDocument/formatting", write_formatting, false},
      {"textDocument/documentHighlight", write_highlights, true},
      {"textDocument/foldingRange", write_folding, false},
      {"textDocument/semanticTokens/full", write_semantic_tokens, false},
      {"textDocument/prepareRename", write_rename_range, true},
  });
  for (const Row& row : rows) {
    if (row.method != method) continue;
    if (row.at_position) (void)member(params, "position");
    const Question place = question(params);
    outbox_.push_back(answer(message.id, [&](Writer& out) { row.feature(place, out); }));
    return;
  }
  if (method == "textDocument/rename") {
    (void)member(params, "position");
    const std::string& name = string_member(params, "newName");
    const Question place = question(params);
    outbox_.push_back(answer(message.id, [&](Writer& out) { write_rename(place, name, out); }));
    return;
  }
  if (method == "workspace/symbol") {
    const std::string& query = string_member(params, "query");
    outbox_.push_back(answer(message.id, [&](Writer& out) {
      write_workspace_symbols(workspace_, encoding_, query, out);
    }));
    return;
  }
  if (method == "textDocument/codeAction") return ask_for_actions(message);
  throw RequestError(ErrorCode::method_not_found, fmt::format("unknown method `{}`", method));
}

void Server::change(const JsonValue& params) {
  const JsonValue& named = member(params, "textDocument");
  OpenDocument& open = workspace_.get(string_member(named, "uri"));
  // All changes or none: if one fails, the text must not differ from a state of the editor's.
  Document document = open.document;
  if (const JsonValue* version = named.find("version")) document.version = version->integer;
  for (const JsonValue& one : member(params, "contentChanges").items) {
    const std::string& text = string_member(one, "text");
    const JsonValue* where = one.find("range");
    if (where == nullptr || where->kind == JsonValue::Kind::null) {
      document.set(text);
      continue;
    }
    const Range range = range_of(*where);
    document.replace(document.lines.offset(document.text, range.begin, encoding_),
                     document.lines.offset(document.text, range.end, encoding_), text);
  }
  open.document = std::move(document);
  workspace_.edited(open);
}

void Server::handle_notification(const Message& message) {
  const std::string& method = message.method;
  const JsonValue& params = message.params;
  if (method == "exit") {
    exit_status_ = state_ == State::shut_down ? 0 : 1;
    return;
  }
  if (state_ != State::running) return;
  if (method == "textDocument/didOpen") {
    const JsonValue& opened = member(params, "textDocument");
    Document document;
    document.uri = string_member(opened, "uri");
    if (document.uri.empty()) throw RequestError(ErrorCode::invalid_params, "`uri` is empty");
    document.set(string_member(opened, "text"));
    if (const JsonValue* version = opened.find("version")) document.version = version->integer;
    workspace_.open(std::move(document));
  } else if (method == "textDocument/didChange") {
    change(params);
  } else if (method == "textDocument/didClose") {
    const std::string& uri = uri_in(params);
    if (!workspace_.close(uri)) {
      throw RequestError(ErrorCode::invalid_params, fmt::format("`{}` is not open", uri));
    }
    outbox_.push_back(notification("textDocument/publishDiagnostics", [&](Writer& out) {
      out.open('{');
      out.key("uri").text(uri);
      out.key("diagnostics").open('[');
      out.close(']');
      out.close('}');
    }));
  } else if (method == "textDocument/didSave") {
    workspace_.changed(workspace_.get(uri_in(params)).path);
  } else if (method == "$/cancelRequest") {
    cancel(params);
  } else if (method == "workspace/didChangeWatchedFiles") {
    for (const JsonValue& one : member(params, "changes").items) {
      if (const auto path = path_of(string_member(one, "uri"))) workspace_.changed(*path);
    }
  }
  // `initialized` and other notifications need no action.
}

void Server::ask_for_actions(const Message& message) {
  const Question place = question(message.params);
  const Document& document = place.document.document;
  const Range range = range_of(member(message.params, "range"));
  waiting_.push_back({message.id, document.uri, place.document.edited,
                      document.lines.offset(document.text, range.begin, encoding_),
                      document.lines.offset(document.text, range.end, encoding_)});
}

void Server::cancel(const JsonValue& params) {
  const std::string id = id_text(member(params, "id"));
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& one) { return one.id == id; });
  if (found == waiting_.end()) return;  // already answered, or unknown
  outbox_.push_back(error_answer(id, ErrorCode::request_cancelled, "the request was cancelled"));
  waiting_.erase(found);
}

/// Answers the requests whose findings are complete, and those that will not get any.
void Server::settle_waiting() {
  std::erase_if(waiting_, [&](const Waiting& one) {
    OpenDocument* open = workspace_.find(one.uri);
    if (state_ != State::running) {
      outbox_.push_back(
          error_answer(one.id, ErrorCode::request_cancelled, "the server is shut down"));
    } else if (open == nullptr || open->edited != one.edited) {
      outbox_.push_back(error_answer(one.id, ErrorCode::content_modified, "the text has changed"));
    } else if (open->checked && open->analysis == nullptr) {
      outbox_.push_back(error_answer(one.id, ErrorCode::request_failed, open->trouble));
    } else if (open->checked) {
      const Question place{workspace_, *open, encoding_, one.begin};
      try {
        outbox_.push_back(
            answer(one.id, [&](Writer& out) { write_code_actions(place, one.end, out); }));
      } catch (const InternalError&) {
        throw;
      } catch (const std::exception& error) {
        outbox_.push_back(error_answer(one.id, ErrorCode::internal_error, error.what()));
      }
    } else {
      return false;
    }
    return true;
  });
}

void Server::stop_stale_check() {
  if (!running_) return;
  if (state_ != State::running || !workspace_.is_current(*running_)) *running_->stop = true;
}

void Server::publish(OpenDocument& document) {
  document.published = true;
  outbox_.push_back(notification("textDocument/publishDiagnostics", [&](Writer& out) {
    write_diagnostics(document, encoding_, out);
  }));
}

std::vector<std::string> Server::begin_work(std::optional<Check>& check) {
  outbox_.clear();
  if (!has_work()) return {};
  OpenDocument& document = *workspace_.unpublished();
  check = workspace_.start_check(document);
  if (check) {
    running_ = check;
  } else {
    publish(document);
    settle_waiting();
  }
  return std::move(outbox_);
}

std::vector<std::string> Server::finish_work(Check check) {
  if (check.failure) std::rethrow_exception(check.failure);
  outbox_.clear();
  running_.reset();
  const bool wanted = state_ == State::running && workspace_.is_current(check);
  // If the check failed, no findings are better than those of an older text.
  if (wanted && !check.trouble.empty()) log("cannot check the text: " + check.trouble);
  if (wanted) publish(workspace_.finish_check(std::move(check)));
  settle_waiting();
  return std::move(outbox_);
}

}  // namespace kr::lsp
