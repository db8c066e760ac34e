#include "lsp/server.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"
#include "lsp/uri.hpp"

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

void write_strings(Writer& out, std::span<const std::string_view> texts) {
  out.open('[');
  for (const std::string_view text : texts) out.text(text);
  out.close(']');
}

void write_capabilities(Encoding encoding, Writer& out) {
  out.open('{');
  out.key("positionEncoding").text(to_string(encoding));
  out.key("textDocumentSync").open('{');
  out.key("openClose").boolean(true);
  out.key("change").number(2);
  out.key("save").boolean(true);
  out.close('}');
  for (const std::string_view provider :
       {"hoverProvider", "definitionProvider", "referencesProvider", "documentSymbolProvider",
        "documentFormattingProvider"}) {
    out.key(provider).boolean(true);
  }
  out.key("completionProvider").open('{');
  out.key("triggerCharacters");
  write_strings(out, std::array<std::string_view, 3>{".", "@", "("});
  out.close('}');
  out.key("codeActionProvider").open('{');
  out.key("codeActionKinds");
  write_strings(out, std::array<std::string_view, 1>{"quickfix"});
  out.close('}');
  out.close('}');
}

}  // namespace

Analysis& analysis_of(Question& question) {
  Analysis* analysis = question.workspace.analysis(question.document);
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
  try {
    const std::optional<Message> message = read_message(body, id);
    if (!message) return {};
    answers = !message->id.empty();
    if (answers) {
      handle_request(*message);
    } else {
      handle_notification(*message);
    }
    return std::move(outbox_);
  } catch (const RequestError& error) {
    outbox_.clear();
    if (answers) return {error_answer(id, error.code(), error.what())};
    log(error.what());
  } catch (const Error& error) {
    outbox_.clear();
    if (answers) return {error_answer(id, ErrorCode::request_failed, error.what())};
    log(error.what());
  } catch (const std::exception& error) {
    outbox_.clear();
    if (answers) return {error_answer(id, ErrorCode::internal_error, error.what())};
    log(error.what());
  }
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
    throw RequestError(ErrorCode::invalid_request, "`initialize` came before");
  }
  state_ = State::running;
  encoding_ = encoding_wanted(message.params);
  outbox_.push_back(answer(message.id, [&](Writer& out) {
    out.open('{');
    out.key("capabilities");
    write_capabilities(encoding_, out);
    out.key("serverInfo").open('{');
    out.key("name").text("kr");
    out.key("version").text(version_);
    out.close('}');
    out.close('}');
  }));
}

Question Server::question(const JsonValue& params) {
  OpenDocument& open = workspace_.get(uri_in(params));
  Question question{workspace_, open, encoding_, 0};
  if (const JsonValue* position = params.find("position")) {
    question.offset =
        open.document.lines.offset(open.document.text, place_of(*position), encoding_);
  }
  return question;
}

void Server::handle_request(const Message& message) {
  const std::string& method = message.method;
  const JsonValue& params = message.params;
  if (method == "initialize") return initialize(message);
  if (state_ == State::fresh) {
    throw RequestError(ErrorCode::not_initialized, "the server waits for `initialize`");
  }
  if (state_ == State::shut_down) {
    throw RequestError(ErrorCode::invalid_request, "the server is shut down");
  }
  if (method == "shutdown") {
    state_ = State::shut_down;
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
      {"textDocument/documentSymbol", write_symbols, false},
      {"textDocument/formatting", write_formatting, false},
  });
  for (const Row& row : rows) {
    if (row.method != method) continue;
    if (row.at_position) (void)member(params, "position");
    const Question asked = question(params);
    outbox_.push_back(answer(message.id, [&](Writer& out) { row.feature(asked, out); }));
    return;
  }
  if (method == "textDocument/references") {
    (void)member(params, "position");
    const Question asked = question(params);
    const JsonValue* context = params.find("context");
    const JsonValue* with = context == nullptr ? nullptr : context->find("includeDeclaration");
    outbox_.push_back(answer(message.id, [&](Writer& out) {
      write_references(asked, with != nullptr && with->boolean, out);
    }));
    return;
  }
  if (method == "textDocument/codeAction") {
    Question asked = question(params);
    const Document& document = asked.document.document;
    const Range range = range_of(member(params, "range"));
    asked.offset = document.lines.offset(document.text, range.begin, encoding_);
    const size_t end = document.lines.offset(document.text, range.end, encoding_);
    outbox_.push_back(
        answer(message.id, [&](Writer& out) { write_code_actions(asked, end, out); }));
    return;
  }
  throw RequestError(ErrorCode::method_not_found, fmt::format("there is no method `{}`", method));
}

void Server::change(const JsonValue& params) {
  const JsonValue& named = member(params, "textDocument");
  OpenDocument& open = workspace_.get(string_member(named, "uri"));
  // All or nothing: a change that cannot be made would leave another text than the editor's.
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
    const JsonValue& given = member(params, "textDocument");
    Document document;
    document.uri = string_member(given, "uri");
    if (document.uri.empty()) throw RequestError(ErrorCode::invalid_params, "`uri` is empty");
    document.set(string_member(given, "text"));
    if (const JsonValue* version = given.find("version")) document.version = version->integer;
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
  } else if (method == "workspace/didChangeWatchedFiles") {
    for (const JsonValue& one : member(params, "changes").items) {
      if (const auto path = path_of(string_member(one, "uri"))) workspace_.changed(*path);
    }
  }
  // `initialized`, `$/cancelRequest` and others ask for nothing: a request is answered before the
  // next message is read.
}

std::vector<std::string> Server::work() {
  OpenDocument* document = workspace_.unchecked();
  if (document == nullptr) return {};
  workspace_.check(*document);
  return {notification("textDocument/publishDiagnostics",
                       [&](Writer& out) { write_diagnostics(*document, encoding_, out); })};
}

}  // namespace kr::lsp
