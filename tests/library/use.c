/* Goes through the C interface: reads tables as Arrow streams, and provokes every error.
 *   use RULES_FOLDER FOLDER      writes its files in FOLDER
 */
#include <kr/kr.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "use.c:%d: %s is false\n", __LINE__, #condition); \
      ++failures;                                                       \
    }                                                                   \
  } while (0)
#define REQUIRE(condition)      \
  do {                          \
    CHECK(condition);           \
    if (failures != 0) exit(1); \
  } while (0)

/* More than one batch. */
enum { operations = 70000, batch_rows = 65536 };

static char rules_path[4096], bad_rules_path[4096], trace_path[4096], bad_trace_path[4096],
    two_reports_path[4096];

static FILE* open_file(char* path, const char* folder, const char* name) {
  FILE* file;
  snprintf(path, 4096, "%s/%s", folder, name);
  file = fopen(path, "w");
  REQUIRE(file != NULL);
  return file;
}

static void write_files(const char* folder) {
  const char* head = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n";
  int i;
  FILE* file = open_file(rules_path, folder, "use.kr");
  fputs(
      "labels substage { gemm misc }\n"
      "engine e \"E\" { substage { gemm: \"gemm\" misc: otherwise } }\n",
      file);
  fclose(file);
  file = open_file(bad_rules_path, folder, "bad.kr");
  fputs("engine e \"E\" { substage { gemm: \"gemm }\n", file);
  fclose(file);
  file = open_file(trace_path, folder, "use.csv");
  fputs(head, file);
  for (i = 0; i < operations; ++i) {
    fprintf(file, "%d,%d,%d,0,7,%s\n", i * 100, 10 + i % 3, i + 1, i % 2 ? "relu" : "gemm\xff");
  }
  fclose(file);
  file = open_file(bad_trace_path, folder, "bad.csv");
  fputs("this,is,not\na,trace,\n", file);
  fclose(file);
  file = open_file(two_reports_path, folder, "two.csv");
  fprintf(file, "%s1,2,3,0,7,gemm\n\nTime (%%),Total Time (ns),Instances,Name\n100,5,1,x\n", head);
  fclose(file);
}

/* The call failed with this status, and the message holds this text. Frees the error. */
static void check_error(int line, kr_status got, kr_status wanted, kr_error** error,
                        const char* text) {
  if (got != wanted || *error == NULL || kr_error_status(*error) != wanted ||
      strstr(kr_error_message(*error), text) == NULL) {
    fprintf(stderr, "use.c:%d: status %d, not %d with `%s`: %s\n", line, (int)got, (int)wanted,
            text, kr_error_message(*error));
    ++failures;
  }
  kr_error_free(*error);
  *error = NULL;
}
#define CHECK_ERROR(call, status, text) check_error(__LINE__, call, status, &error, text)
#define CHECK_OK(call)                                                      \
  do {                                                                      \
    if ((call) != KR_OK) {                                                  \
      fprintf(stderr, "use.c:%d: %s\n", __LINE__, kr_error_message(error)); \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

static kr_load_options load_options(const char* rules_folder) {
  kr_load_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.rules_folder = rules_folder;
  options.no_cache = 1;
  return options;
}

static kr_run_source source(const char* path) {
  kr_run_source run;
  memset(&run, 0, sizeof run);
  run.size = sizeof run;
  run.path = path;
  return run;
}

static int64_t column_of(const struct ArrowSchema* schema, const char* name) {
  int64_t i;
  for (i = 0; i < schema->n_children; ++i) {
    if (strcmp(schema->children[i]->name, name) == 0) return i;
  }
  fprintf(stderr, "use.c: no column %s\n", name);
  exit(1);
}

static int is_valid(const struct ArrowArray* column, int64_t row) {
  const uint8_t* bits = column->buffers[0];
  return bits == NULL || (bits[row / 8] >> (row % 8) & 1);
}

static int has_text(const struct ArrowArray* column, int64_t row, const char* wanted) {
  const int64_t* ends = column->buffers[1];
  const char* bytes = column->buffers[2];
  const size_t size = (size_t)(ends[row + 1] - ends[row]);
  return size == strlen(wanted) && memcmp(bytes + ends[row], wanted, size) == 0;
}

/* Every row of `operations`, in two batches. */
static void read_operations(struct ArrowArrayStream* stream) {
  struct ArrowSchema schema;
  struct ArrowArray batch;
  int64_t rows = 0, batches = 0, i;
  int64_t name, substage, start, duration, step;
  REQUIRE(stream->get_schema(stream, &schema) == 0);
  CHECK(strcmp(schema.format, "+s") == 0);
  name = column_of(&schema, "name");
  substage = column_of(&schema, "substage");
  start = column_of(&schema, "start_ns");
  duration = column_of(&schema, "duration_ns");
  step = column_of(&schema, "step");
  CHECK(strcmp(schema.children[name]->format, "U") == 0);
  CHECK(strcmp(schema.children[start]->format, "l") == 0);
  CHECK((schema.children[step]->flags & ARROW_FLAG_NULLABLE) != 0);
  CHECK(schema.children[start]->flags == 0);
  schema.release(&schema);
  CHECK(schema.release == NULL);
  while (1) {
    REQUIRE(stream->get_next(stream, &batch) == 0);
    if (batch.release == NULL) break;
    CHECK(batch.length == (batches == 0 ? batch_rows : operations - batch_rows));
    CHECK(batch.children[step]->null_count == batch.length);
    for (i = 0; i < batch.length; ++i, ++rows) {
      const int is_gemm = rows % 2 == 0;
      const int64_t* starts = batch.children[start]->buffers[1];
      const int64_t* durations = batch.children[duration]->buffers[1];
      REQUIRE(starts[i] == rows * 100 && durations[i] == 10 + rows % 3);
      REQUIRE(has_text(batch.children[name], i, is_gemm ? "gemm\\xff" : "relu"));
      REQUIRE(has_text(batch.children[substage], i, is_gemm ? "gemm" : "misc"));
      REQUIRE(!is_valid(batch.children[step], i) && is_valid(batch.children[name], i));
    }
    ++batches;
    if (batches == 1) {
      /* A column that is moved away is released by whoever has it. */
      struct ArrowArray moved = *batch.children[name];
      batch.children[name]->release = NULL;
      batch.release(&batch);
      CHECK(has_text(&moved, 1, "relu"));
      moved.release(&moved);
    } else {
      batch.release(&batch);
    }
  }
  CHECK(rows == operations && batches == 2);
  CHECK(stream->get_next(stream, &batch) == 0 && batch.release == NULL);
  CHECK(stream->get_last_error(stream) == NULL);
}

static int64_t count_rows(struct ArrowArrayStream* stream) {
  struct ArrowArray batch;
  int64_t rows = 0;
  while (stream->get_next(stream, &batch) == 0 && batch.release != NULL) {
    rows += batch.length;
    batch.release(&batch);
  }
  return rows;
}

static void check_rules(const char* folder, kr_rules* rules) {
  kr_error* error = NULL;
  kr_rules* none = NULL;
  char* label = NULL;
  kr_load_options options = load_options(folder);
  const char* names[2] = {rules_path, NULL};
  const char* name = "none.kr";
  CHECK_OK(kr_rules_label(rules, "a_gemm", "substage", NULL, NULL, &label, &error));
  CHECK(strcmp(label, "gemm") == 0);
  kr_string_free(label);
  label = NULL;
  CHECK_ERROR(kr_rules_label(rules, "x", "stag", NULL, NULL, &label, &error), KR_FAILED, "stag");
  CHECK_ERROR(kr_rules_label(rules, "x", "substage", "f", NULL, &label, &error), KR_FAILED, "`f`");
  CHECK_ERROR(kr_rules_label(NULL, "x", "substage", "f", NULL, &label, &error), KR_INVALID_ARGUMENT,
              "NULL");
  CHECK(label == NULL);
  CHECK_ERROR(kr_rules_load(names, 2, &options, &none, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_rules_load(NULL, 1, &options, &none, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_rules_load(names, 1, &options, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_rules_load(&name, 1, &options, &none, &error), KR_FAILED, "none.kr");
  name = bad_rules_path;
  CHECK_ERROR(kr_rules_load(&name, 1, &options, &none, &error), KR_FAILED, "KR1");
  options.rules_folder = "/nowhere";
  CHECK_ERROR(kr_rules_load(names, 1, &options, &none, &error), KR_FAILED, "/nowhere");
  options.size = 0;
  CHECK_ERROR(kr_rules_load(names, 1, &options, &none, &error), KR_INVALID_ARGUMENT, "size");
  /* A caller that knows fewer members, and one that wants no error object. */
  options = load_options(folder);
  options.size = sizeof options.size;
  name = rules_path;
  CHECK_OK(kr_rules_load(&name, 1, &options, &none, &error));
  kr_rules_free(none);
  CHECK(kr_rules_load(NULL, 1, NULL, &none, NULL) == KR_INVALID_ARGUMENT);
}

static void check_notes(kr_session* session) {
  kr_error* error = NULL;
  kr_notes* notes = NULL;
  kr_note note;
  memset(&note, 0, sizeof note);
  CHECK_ERROR(kr_session_notes(session, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_OK(kr_session_notes(session, &notes, &error));
  REQUIRE(kr_notes_count(notes) > 0);
  CHECK_ERROR(kr_notes_get(notes, 0, &note, &error), KR_INVALID_ARGUMENT, "size");
  note.size = sizeof note;
  CHECK_ERROR(kr_notes_get(notes, 99, &note, &error), KR_INVALID_ARGUMENT, "index");
  CHECK_OK(kr_notes_get(notes, 0, &note, &error));
  CHECK(strcmp(note.code, "dropped-records") == 0 && strcmp(note.severity, "warning") == 0);
  CHECK(strlen(note.run) > 0 && strlen(note.text) > 0 && note.count == 1 && note.first_offset > 0);
  /* A caller that knows fewer members. */
  note.size = offsetof(kr_note, count);
  note.count = 7;
  CHECK_OK(kr_notes_get(notes, 0, &note, &error));
  CHECK(note.count == 7);
  kr_notes_free(notes);
  kr_notes_free(NULL);
  CHECK(kr_notes_count(NULL) == 0);
}

static void check_queries(kr_session* session) {
  kr_error* error = NULL;
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  CHECK_ERROR(kr_session_sql(session, NULL, &stream, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_session_sql(session, "SELECT lable FROM labels", &stream, &error), KR_FAILED,
              "`label`");
  CHECK_ERROR(kr_session_sql(session, "DELETE FROM labels", &stream, &error), KR_FAILED,
              "may not be modified");
  CHECK_OK(kr_session_sql(session, "SELECT count(*) AS n FROM operations", &stream, &error));
  CHECK(stream.get_next(&stream, &batch) == 0 && batch.length == 1);
  CHECK(((const int64_t*)batch.children[0]->buffers[1])[0] == operations);
  batch.release(&batch);
  stream.release(&stream);
}

/* Tables that are not about runs alone. */
static void check_other_tables(kr_rules* rules, kr_session* session) {
  kr_error* error = NULL;
  struct ArrowArrayStream streams[5];
  const char* ids[5] = {"coverage", "tree", "explanations", "rule_changes", "list_rulesets"};
  int i;
  CHECK_ERROR(kr_session_table(session, "explanations", streams, &error), KR_ABSENT, "no name");
  CHECK_ERROR(kr_session_table(session, "rule_changes", streams, &error), KR_ABSENT, "no rules");
  CHECK_ERROR(kr_session_table(session, "comparison", streams, &error), KR_ABSENT, "two runs");
  CHECK_ERROR(kr_session_explain(session, NULL, NULL, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_session_compare_with(session, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_OK(kr_session_explain(session, "a_gemm", NULL, NULL, &error));
  CHECK_OK(kr_session_compare_with(session, rules, &error));
  CHECK_OK(kr_session_tables(session, ids, 5, streams, &error));
  for (i = 0; i < 5; ++i) {
    REQUIRE(streams[i].release != NULL);
    CHECK(count_rows(&streams[i]) > 0 || i == 3);
    streams[i].release(&streams[i]);
  }
}

static int file_begins(const char* path, const char* wanted) {
  char head[64] = "";
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  if (fread(head, 1, strlen(wanted), file) != strlen(wanted)) head[0] = '\0';
  fclose(file);
  return strncmp(head, wanted, strlen(wanted)) == 0;
}

/* Pages, texts and files, in `folder`. */
static void check_views(kr_session* session, const char* folder) {
  static const char* const labels[] = {"labels", NULL};
  kr_error* error = NULL;
  kr_write_options options;
  char path[4096];
  char* text = NULL;
  CHECK_OK(kr_session_page(session, NULL, "a title", &text, &error));
  CHECK(strncmp(text, "<!doctype html>", 15) == 0 && strstr(text, "a title") != NULL);
  kr_string_free(text);
  CHECK_OK(kr_session_text(session, "analyze", 80, &text, &error));
  CHECK(strstr(text, "use.csv") != NULL);
  kr_string_free(text);
  text = NULL;
  CHECK_ERROR(kr_session_page(session, "tre", NULL, &text, &error), KR_FAILED, "tree");
  CHECK_ERROR(kr_session_text(session, NULL, 0, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK(text == NULL);
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.tables = labels;
  snprintf(path, sizeof path, "%s/use_labels.csv", folder);
  CHECK_OK(kr_session_write(session, path, &options, &error));
  CHECK(file_begins(path, "run,dimension,label,"));
  snprintf(path, sizeof path, "%s/use_page.html", folder);
  CHECK_OK(kr_session_write(session, path, NULL, &error));
  CHECK(file_begins(path, "<!doctype html>"));
  CHECK_ERROR(
      kr_session_write(session, path, &(kr_write_options){.size = sizeof options, .format = "htm"},
                       &error),
      KR_FAILED, "`html`");
  CHECK_ERROR(kr_session_write(session, trace_path, &options, &error), KR_FAILED, "use.csv");
  CHECK_ERROR(kr_session_write(session, NULL, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
}

static void check_watch(const char* folder) {
  char path[4096];
  kr_error* error = NULL;
  kr_watch* watch = NULL;
  char* found = NULL;
  snprintf(path, sizeof path, "%s/use_new.csv", folder);
  remove(path);
  CHECK_ERROR(kr_watch_new("/nowhere", &watch, &error), KR_FAILED, "/nowhere");
  CHECK_ERROR(kr_watch_next(NULL, &found, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_OK(kr_watch_new(folder, &watch, &error));
  fclose(open_file(path, folder, "use_new.csv"));
  /* It is seen, then a second has to pass. */
  while (found == NULL) CHECK_OK(kr_watch_next(watch, &found, &error));
  CHECK(strcmp(found, path) == 0);
  kr_string_free(found);
  CHECK_OK(kr_watch_next(watch, &found, &error));
  CHECK(found == NULL);
  kr_watch_free(watch);
}

static void check_sessions(kr_rules* rules, const char* folder) {
  static const char* const conditions[] = {"work > +5%", "span > +5%", NULL};
  kr_session_options compared;
  kr_error* error = NULL;
  kr_session* session = NULL;
  struct ArrowArrayStream stream, streams[3];
  kr_run_source run = source(NULL);
  const char* ids[3] = {"runs", "steps", "labels"};
  memset(&stream, 0, sizeof stream);
  CHECK_ERROR(kr_session_new(NULL, NULL, &session, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK(session == NULL);
  CHECK_OK(kr_session_new(rules, NULL, &session, &error));
  CHECK_ERROR(kr_session_add(session, &run, &error), KR_INVALID_ARGUMENT, "path");
  CHECK_ERROR(kr_session_add(session, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  run = source("");
  CHECK_ERROR(kr_session_add(session, &run, &error), KR_FAILED, "no path");
  CHECK_ERROR(kr_session_table(session, "labels", &stream, &error), KR_ABSENT, "no run");
  CHECK_ERROR(kr_session_table(session, "lables", &stream, &error), KR_FAILED, "`labels`");
  CHECK_ERROR(kr_session_table(session, NULL, &stream, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_session_tables(session, NULL, 1, streams, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK_ERROR(kr_session_tables(session, ids, 3, NULL, &error), KR_INVALID_ARGUMENT, "NULL");
  CHECK(stream.release == NULL);
  run = source(trace_path);
  run.engine = "e";
  run.elapsed_ns = 9000000;
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_OK(kr_session_tables(session, ids, 3, streams, &error));
  CHECK(streams[1].release == NULL);
  CHECK(count_rows(&streams[0]) == 1 && count_rows(&streams[2]) > 0);
  streams[0].release(&streams[0]);
  streams[2].release(&streams[2]);
  check_queries(session);
  check_views(session, folder);
  check_other_tables(rules, session);
  kr_session_free(session);

  CHECK_OK(kr_session_new(rules, NULL, &session, &error));
  run = source("none.csv");
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK(kr_session_table(session, "labels", &stream, &error) == KR_FAILED);
  CHECK(strcmp(kr_error_path(error), "none.csv") == 0);
  CHECK(strlen(kr_error_reason(error)) > 0 && strlen(kr_error_message(error)) > 0);
  CHECK(kr_error_line(error) == -1 && kr_error_offset(error) == -1);
  CHECK_ERROR(KR_FAILED, KR_FAILED, "none.csv");
  kr_session_free(session);

  CHECK_OK(kr_session_new(rules, NULL, &session, &error));
  run = source(bad_trace_path);
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_ERROR(kr_session_table(session, "labels", &stream, &error), KR_FAILED, "bad.csv");
  kr_session_free(session);

  /* The same run on both sides. */
  memset(&compared, 0, sizeof compared);
  compared.size = sizeof compared;
  compared.runs_before = 1;
  compared.conditions = conditions;
  CHECK_OK(kr_session_new(rules, &compared, &session, &error));
  run = source(trace_path);
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_OK(kr_session_table(session, "conditions", &stream, &error));
  CHECK(count_rows(&stream) == 2);
  stream.release(&stream);
  kr_session_free(session);

  /* Peaks are read with the runs. */
  memset(&compared, 0, sizeof compared);
  compared.size = sizeof compared;
  compared.gpu = "H100 SXM";
  compared.peaks = "none.tsv";
  CHECK_OK(kr_session_new(rules, &compared, &session, &error));
  run = source(trace_path);
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_ERROR(kr_session_table(session, "labels", &stream, &error), KR_FAILED, "none.tsv");
  kr_session_free(session);
  compared.gpu = "Quantum 9000";
  compared.peaks = NULL;
  CHECK_OK(kr_session_new(rules, &compared, &session, &error));
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_ERROR(kr_session_table(session, "labels", &stream, &error), KR_FAILED, "Quantum 9000");
  kr_session_free(session);
  CHECK_ERROR(kr_merge_saved(&run.path, 1, "job.krun", NULL, &error), KR_FAILED, "saved run");

  /* What is omitted is a note. */
  CHECK_OK(kr_session_new(rules, NULL, &session, &error));
  run = source(two_reports_path);
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_OK(kr_session_table(session, "notes", &stream, &error));
  CHECK(count_rows(&stream) > 0);
  stream.release(&stream);
  check_notes(session);
  kr_session_free(session);
  CHECK(kr_error_status(NULL) == KR_OK && kr_error_message(NULL)[0] == '\0');
  kr_error_free(NULL);
  kr_session_free(NULL);
  kr_rules_free(NULL);
}

int main(int argc, char** argv) {
  kr_error* error = NULL;
  kr_rules* rules = NULL;
  kr_session* session = NULL;
  struct ArrowArrayStream all, part, unread;
  struct ArrowArray batch;
  kr_load_options options;
  kr_run_source run;
  const char* name = rules_path;
  if (argc != 3) return 2;
  CHECK(kr_api_version() == KR_API_VERSION && strlen(kr_version()) > 0);
  write_files(argv[2]);
  options = load_options(argv[1]);
  CHECK_OK(kr_rules_load(&name, 1, &options, &rules, &error));
  check_rules(argv[1], rules);
  check_watch(argv[2]);
  check_sessions(rules, argv[2]);

  CHECK_OK(kr_session_new(rules, NULL, &session, &error));
  run = source(trace_path);
  CHECK_OK(kr_session_add(session, &run, &error));
  CHECK_OK(kr_session_table(session, "operations", &all, &error));
  CHECK_OK(kr_session_table(session, "operations", &part, &error));
  CHECK_OK(kr_session_table(session, "labels", &unread, &error));
  CHECK(part.get_next(&part, &batch) == 0 && batch.length == batch_rows);
  /* Streams and batches hold what they need; they are released in any order, read or not. */
  kr_session_free(session);
  kr_rules_free(rules);
  read_operations(&all);
  all.release(&all);
  part.release(&part);
  CHECK(((const int64_t*)batch.children[0]->buffers[1])[1] > 0);
  batch.release(&batch);
  unread.release(&unread);
  CHECK(unread.release == NULL);
  return failures == 0 ? 0 : 1;
}
