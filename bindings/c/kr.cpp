// The C interface over the one in C++: handles own objects, exceptions become error objects.
#include "kr/kr.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "kr/arrow.hpp"
#include "kr/kr.hpp"
#include "kr/watch.hpp"

struct kr_error {
  kr_status status;
  kr::Error error;
};

struct kr_rules {
  kr::Rules rules;
};

struct kr_session {
  kr::Session session;
};

struct kr_watch {
  kr::FolderWatch folder;
  std::vector<std::string> complete = {};  // the next one last
};

struct kr_notes {
  std::vector<kr::RunNote> notes;
};

namespace {

/// The call itself is wrong.
struct InvalidCall {
  std::string what;
};
/// There is no such table.
struct AbsentTable {
  kr::Error error;
};

void require(bool condition, const char* what) {
  if (!condition) throw InvalidCall{what};
}

/// There is always an object for this: a failure to make another one is reported by it too.
kr_error& no_memory() {
  static kr_error error{KR_OUT_OF_MEMORY, kr::Error("", "out of memory")};
  return error;
}

kr_status report(kr_error** out, kr_status status, const kr::Error& error) noexcept {
  if (out == nullptr) return status;
  try {
    *out = new kr_error{status, error};
  } catch (...) {
    *out = &no_memory();
    return KR_OUT_OF_MEMORY;
  }
  return status;
}

/// Calls `work`; nothing is thrown out of it.
template <class Work>
kr_status guarded(kr_error** out, const Work& work) noexcept {
  try {
    work();
    return KR_OK;
  } catch (const InvalidCall& call) {
    return report(out, KR_INVALID_ARGUMENT, kr::Error("", call.what));
  } catch (const AbsentTable& absent) {
    return report(out, KR_ABSENT, absent.error);
  } catch (const kr::Error& error) {
    return report(out, KR_FAILED, error);
  } catch (const std::bad_alloc&) {
    if (out != nullptr) *out = &no_memory();
    return KR_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    return report(out, KR_INTERNAL_ERROR, kr::Error("", error.what()));
  } catch (...) {
    return report(out, KR_INTERNAL_ERROR, kr::Error("", "an unknown exception"));
  }
}

kr::Error::Place place_of(const kr_error* error) {
  return error != nullptr ? error->error.place() : kr::Error::Place{};
}

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

std::string view_of(const char* view) {
  return view != nullptr ? view : "report";
}

/// As much of a structure as the caller knows; the rest is zero. A null pointer: all of it.
template <class Options>
Options known_part(const Options* given) {
  Options options{};
  if (given == nullptr) return options;
  require(given->size >= sizeof given->size && given->size <= 4096,
          "`size` of a structure is not its size");
  std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

/// For the caller, who frees it with kr_string_free.
char* given_text(const std::string& text) {
  auto copy = std::make_unique<char[]>(text.size() + 1);
  std::memcpy(copy.get(), text.c_str(), text.size() + 1);
  return copy.release();
}

/// Up to the NULL at the end; none if there is no list.
std::vector<std::string> texts_of(const char* const* texts) {
  std::vector<std::string> out;
  for (; texts != nullptr && *texts != nullptr; ++texts) out.emplace_back(*texts);
  return out;
}

std::vector<std::string> texts_of(const char* const* texts, size_t count, const char* what) {
  require(count == 0 || texts != nullptr, what);
  std::vector<std::string> out;
  for (size_t i = 0; i < count; ++i) {
    require(texts[i] != nullptr, what);
    out.emplace_back(texts[i]);
  }
  return out;
}

}  // namespace

extern "C" {

int kr_api_version(void) {
  return KR_API_VERSION;
}

const char* kr_version(void) {
  return kr::version().data();
}

kr_status kr_error_status(const kr_error* error) {
  return error != nullptr ? error->status : KR_OK;
}

const char* kr_error_message(const kr_error* error) {
  return error != nullptr ? error->error.what() : "";
}

const char* kr_error_path(const kr_error* error) {
  return error != nullptr ? error->error.path().c_str() : "";
}

const char* kr_error_reason(const kr_error* error) {
  return error != nullptr ? error->error.why().c_str() : "";
}

const char* kr_error_remedy(const kr_error* error) {
  return error != nullptr ? error->error.remedy().c_str() : "";
}

int64_t kr_error_line(const kr_error* error) {
  const auto line = place_of(error).line;
  return line ? static_cast<int64_t>(*line) : -1;
}

int64_t kr_error_offset(const kr_error* error) {
  const auto offset = place_of(error).offset;
  return offset ? static_cast<int64_t>(*offset) : -1;
}

void kr_error_free(kr_error* error) {
  if (error != &no_memory()) delete error;
}

kr_status kr_rules_load(const char* const* names, size_t count, const kr_load_options* options,
                        kr_rules** rules, kr_error** error) {
  return guarded(error, [&] {
    require(rules != nullptr, "`rules` is NULL");
    const kr_load_options given = known_part(options);
    kr::LoadOptions load;
    if (given.rules_folder != nullptr) load.rules_folder = given.rules_folder;
    load.use_cache = given.no_cache == 0;
    *rules = new kr_rules{kr::Rules::load(texts_of(names, count, "a name is NULL"), load)};
  });
}

kr_status kr_rules_label(const kr_rules* rules, const char* name, const char* dimension,
                         const char* engine, const char* model, char** label, kr_error** error) {
  return guarded(error, [&] {
    require(rules != nullptr && name != nullptr && dimension != nullptr && label != nullptr,
            "`rules`, `name`, `dimension` or `label` is NULL");
    *label = given_text(rules->rules.label(name, dimension, text_of(engine), text_of(model)));
  });
}

void kr_rules_free(kr_rules* rules) {
  delete rules;
}

void kr_string_free(char* text) {
  delete[] text;
}

kr_status kr_session_new(const kr_rules* rules, const kr_session_options* options,
                         kr_session** session, kr_error** error) {
  return guarded(error, [&] {
    require(rules != nullptr && session != nullptr, "`rules` or `session` is NULL");
    const kr_session_options given = known_part(options);
    kr::SessionOptions open;
    open.allow_truncated = given.allow_truncated != 0;
    open.allow_inexact = given.allow_inexact != 0;
    open.strict = given.strict != 0;
    open.threads = given.threads;
    if (given.nsys_command != nullptr) open.nsys_command = given.nsys_command;
    open.nsys_timeout_seconds = given.nsys_timeout_seconds;
    kr::TableOptions& tables = open.tables;
    if (given.by != nullptr) tables.by = given.by;
    if (given.max_groups != 0) {
      tables.max_groups = static_cast<size_t>(std::max<int64_t>(given.max_groups, 0));
    }
    tables.level = text_of(given.level);
    tables.phase = text_of(given.phase);
    tables.each_call = given.each_call != 0;
    tables.all_steps = given.all_steps != 0;
    tables.each_sibling = given.each_sibling != 0;
    tables.runs_before = static_cast<size_t>(given.runs_before);
    tables.conditions = texts_of(given.conditions);
    open.window = text_of(given.window);
    open.gpu = text_of(given.gpu);
    open.peaks = text_of(given.peaks);
    *session = new kr_session{kr::Session(rules->rules, std::move(open))};
  });
}

kr_status kr_session_add(kr_session* session, const kr_run_source* run, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && run != nullptr, "`session` or `run` is NULL");
    const kr_run_source given = known_part(run);
    require(given.path != nullptr, "`path` is NULL");
    kr::RunSource source{given.path, text_of(given.engine), text_of(given.model), {}};
    if (given.elapsed_ns != 0) source.elapsed_ns = given.elapsed_ns;
    session->session.add(std::move(source));
  });
}

kr_status kr_session_table(kr_session* session, const char* id, struct ArrowArrayStream* stream,
                           kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && id != nullptr && stream != nullptr,
            "`session`, `id` or `stream` is NULL");
    if (std::string reason = session->session.absent(id); !reason.empty()) {
      throw AbsentTable{kr::Error(
          "", "these runs have no table `" + std::string(id) + "`: " + std::move(reason))};
    }
    kr::render::arrow(session->session.table(id), nullptr, stream);
  });
}

kr_status kr_session_tables(kr_session* session, const char* const* ids, size_t count,
                            struct ArrowArrayStream* streams, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr, "`session` is NULL");
    const std::vector<std::string> names = texts_of(ids, count, "an id is NULL");
    require(count == 0 || streams != nullptr, "`streams` is NULL");
    const std::vector<kr::Table> present = session->session.tables(names);
    std::vector<ArrowArrayStream> made(count, ArrowArrayStream{});
    try {
      size_t next = 0;
      for (size_t i = 0; i < count && next < present.size(); ++i) {
        // Those that are present come in the order of their ids.
        if (present[next].id() == names[i]) {
          kr::render::arrow(present[next++], nullptr, &made[i]);
        }
      }
    } catch (...) {
      for (ArrowArrayStream& one : made) {
        if (one.release != nullptr) one.release(&one);
      }
      throw;
    }
    std::copy(made.begin(), made.end(), streams);
  });
}

kr_status kr_session_sql(kr_session* session, const char* query, struct ArrowArrayStream* stream,
                         kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && query != nullptr && stream != nullptr,
            "`session`, `query` or `stream` is NULL");
    kr::render::arrow(session->session.sql(query), nullptr, stream);
  });
}

kr_status kr_session_page(kr_session* session, const char* view, const char* title, char** page,
                          kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && page != nullptr, "`session` or `page` is NULL");
    *page = given_text(session->session.page(view_of(view), text_of(title)));
  });
}

kr_status kr_session_text(kr_session* session, const char* view, int32_t width, char** text,
                          kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && text != nullptr, "`session` or `text` is NULL");
    *text = given_text(session->session.text(view_of(view), {.width = width}));
  });
}

kr_status kr_session_write(kr_session* session, const char* path, const kr_write_options* options,
                           kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && path != nullptr, "`session` or `path` is NULL");
    const kr_write_options given = known_part(options);
    session->session.write(path, {.format = text_of(given.format),
                                  .view = view_of(given.view),
                                  .tables = texts_of(given.tables),
                                  .title = text_of(given.title),
                                  .force = given.force != 0});
  });
}

void kr_session_free(kr_session* session) {
  delete session;
}

kr_status kr_session_compare_with(kr_session* session, const kr_rules* before, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && before != nullptr, "`session` or `before` is NULL");
    session->session.compare_with(before->rules);
  });
}

kr_status kr_session_save(kr_session* session, const char* path, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && path != nullptr, "`session` or `path` is NULL");
    session->session.save(path);
  });
}

kr_status kr_merge_saved(const char* const* parts, size_t count, const char* path, size_t* runs,
                         kr_error** error) {
  return guarded(error, [&] {
    require(path != nullptr, "`path` is NULL");
    const size_t merged = kr::merge_saved(texts_of(parts, count, "a part is NULL"), path);
    if (runs != nullptr) *runs = merged;
  });
}

kr_status kr_watch_new(const char* folder, kr_watch** watch, kr_error** error) {
  return guarded(error, [&] {
    require(folder != nullptr && watch != nullptr, "`folder` or `watch` is NULL");
    *watch = new kr_watch{kr::FolderWatch(folder)};
  });
}

kr_status kr_watch_next(kr_watch* watch, char** path, kr_error** error) {
  return guarded(error, [&] {
    require(watch != nullptr && path != nullptr, "`watch` or `path` is NULL");
    std::vector<std::string>& complete = watch->complete;
    if (complete.empty()) {
      complete = watch->folder.poll();
      std::reverse(complete.begin(), complete.end());
    }
    *path = complete.empty() ? nullptr : given_text(complete.back());
    if (!complete.empty()) complete.pop_back();
  });
}

void kr_watch_free(kr_watch* watch) {
  delete watch;
}

kr_status kr_session_explain(kr_session* session, const char* name, const char* engine,
                             const char* model, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && name != nullptr, "`session` or `name` is NULL");
    session->session.explain({.name = name, .engine = text_of(engine), .model = text_of(model)});
  });
}

kr_status kr_session_notes(kr_session* session, kr_notes** notes, kr_error** error) {
  return guarded(error, [&] {
    require(session != nullptr && notes != nullptr, "`session` or `notes` is NULL");
    *notes = new kr_notes{session->session.notes()};
  });
}

size_t kr_notes_count(const kr_notes* notes) {
  return notes != nullptr ? notes->notes.size() : 0;
}

kr_status kr_notes_get(const kr_notes* notes, size_t index, kr_note* note, kr_error** error) {
  return guarded(error, [&] {
    require(notes != nullptr && note != nullptr, "`notes` or `note` is NULL");
    require(index < notes->notes.size(), "the index is not that of a note");
    const kr::RunNote& one = notes->notes[index];
    const size_t size = known_part(note).size;
    const kr_note whole{size,
                        one.run.c_str(),
                        one.severity.c_str(),
                        one.code.c_str(),
                        one.text.c_str(),
                        one.count.value_or(-1),
                        one.first_offset.value_or(-1)};
    std::memcpy(note, &whole, std::min(size, sizeof whole));
  });
}

void kr_notes_free(kr_notes* notes) {
  delete notes;
}

}  // extern "C"
