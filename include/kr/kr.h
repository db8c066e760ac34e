/* The C interface of kr: rules, and runs from their files to tables in Arrow form.
 *
 *   kr_error* error = NULL;
 *   kr_rules* rules = NULL;
 *   kr_session* session = NULL;
 *   struct ArrowArrayStream stream;
 *   if (kr_rules_load(NULL, 0, NULL, &rules, &error) ||
 *       kr_session_new(rules, NULL, &session, &error) ||
 *       kr_session_add(session, &(kr_run_source){.size = sizeof(kr_run_source), .path =
 * "trace.csv"}, &error) || kr_session_table(session, "labels", &stream, &error)) { fprintf(stderr,
 * "%s\n", kr_error_message(error));
 *   }
 *
 * Functions return KR_OK or what went wrong. If something did, outputs are untouched, and `*error`,
 * if `error` is not NULL, is a new object that the caller frees. Texts are UTF-8 and end at a NUL
 * byte, and are copied. A handle is for one thread at a time, with the streams of its tables;
 * kr_rules may be used by several threads. Handles may be freed in any order.
 *
 * Versions: functions and enumerators are never removed or changed while KR_API_VERSION stays the
 * same. Structures may grow at the end; `size` says how much of one the caller knows, so zeroed
 * members that come later mean the default.
 */
#ifndef KR_KR_H
#define KR_KR_H

#include <stddef.h>
#include <stdint.h>

#include "kr/arrow.h"

#if defined(__GNUC__)
#define KR_API __attribute__((visibility("default")))
#else
#define KR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KR_API_VERSION 1

/* The KR_API_VERSION that the library was built with, and its own version, `0.1.0`. */
KR_API int kr_api_version(void);
KR_API const char* kr_version(void);

typedef enum kr_status {
  KR_OK = 0,
  KR_INVALID_ARGUMENT = 1, /* the call is wrong: NULL where something is needed, an unknown size */
  KR_FAILED = 2,           /* the input or the system is wrong: see the message */
  KR_ABSENT = 3,           /* these runs do not have this table: see the message */
  KR_OUT_OF_MEMORY = 4,
  KR_INTERNAL_ERROR = 5 /* a defect of kr: please report it */
} kr_status;

/* What went wrong. These functions take NULL for an empty error. */
typedef struct kr_error kr_error;
KR_API kr_status kr_error_status(const kr_error* error);
/* The whole message: `trace.csv:7: the name is missing; ...`. */
KR_API const char* kr_error_message(const kr_error* error);
/* Its parts, empty if there are none: the file, the reason, what to do about it. */
KR_API const char* kr_error_path(const kr_error* error);
KR_API const char* kr_error_reason(const kr_error* error);
KR_API const char* kr_error_remedy(const kr_error* error);
/* Where in the file: the line, from 1; the byte, from 0. -1: unknown. */
KR_API int64_t kr_error_line(const kr_error* error);
KR_API int64_t kr_error_offset(const kr_error* error);
KR_API void kr_error_free(kr_error* error);

/* Rules, ready for use. */
typedef struct kr_rules kr_rules;

typedef struct kr_load_options {
  size_t size;              /* sizeof(kr_load_options) */
  const char* rules_folder; /* with `stdlib` and `rulesets`; NULL: that of the install */
  int32_t no_cache;         /* not 0: neither read nor write the user's cache of compiled rules */
} kr_load_options;

/* `names`: names of shipped rulesets, paths of rules files, or the path of one .krdb; none: the
 * rulesets that ship. `options` may be NULL. */
KR_API kr_status kr_rules_load(const char* const* names, size_t count,
                               const kr_load_options* options, kr_rules** rules, kr_error** error);
/* The label of an operation with this name in a dimension, `unclassified` if no rule matches.
 * Engine and model: NULL detects them. The caller frees the label with kr_string_free. */
KR_API kr_status kr_rules_label(const kr_rules* rules, const char* name, const char* dimension,
                                const char* engine, const char* model, char** label,
                                kr_error** error);
KR_API void kr_rules_free(kr_rules* rules);
KR_API void kr_string_free(char* text);

/* Runs and their tables. */
typedef struct kr_session kr_session;

typedef struct kr_session_options {
  size_t size;                  /* sizeof(kr_session_options) */
  int32_t allow_truncated;      /* not 0: read a truncated file up to the point where it ends */
  int32_t allow_inexact;        /* not 0: accept times in seconds, which nsys rounds to 100 us */
  uint32_t threads;             /* of readers; 0: one per processor */
  const char* nsys_command;     /* exports .nsys-rep files; NULL: `nsys` */
  int32_t nsys_timeout_seconds; /* stop nsys if it is silent for so long; 0: never */
  /* What tables about coverage, module trees and comparisons are made with. */
  const char* by;       /* the dimension; NULL: `substage` */
  int64_t max_groups;   /* rows of `unexplained`; 0: 1000; negative: all */
  const char* level;    /* `kernel`, `module`, `layer` or a depth; NULL: see kr/kr.hpp */
  const char* phase;    /* only these steps are in `tree`; NULL: all */
  int32_t each_call;    /* not 0: of a layer-wise profile one node per call, not sums of calls */
  int32_t all_steps;    /* not 0: `tree` has one tree per step; 0: one per phase */
  int32_t each_sibling; /* not 0: siblings that differ only in their number are not merged in
                           `tree` */
  int32_t strict;       /* not 0: refuse records whose time cannot be right */
  /* Comparisons of runs: so many first runs are compared with the others; 0: there are two. */
  uint64_t runs_before;
  /* Of the same, for the table `conditions`: `step > +5%`. Ends with NULL; NULL: there are none. */
  const char* const* conditions;
  const char* window; /* what of the runs is looked at: `steps 5..20; skip-warmup`; NULL: all */
  /* The GPU whose data sheet costs are compared with if the trace does not name it; NULL: none. */
  const char* gpu;
  const char*
      peaks; /* a file of peaks that were measured on the GPU: docs/roofline.md; NULL: none */
} kr_session_options;

typedef struct kr_run_source {
  size_t size;        /* sizeof(kr_run_source) */
  const char* path;   /* `-`: standard input */
  const char* engine; /* NULL: detected */
  const char* model;  /* NULL: detected */
  int64_t elapsed_ns; /* the measured time of the run; 0: unknown */
} kr_run_source;

/* `options` may be NULL. */
KR_API kr_status kr_session_new(const kr_rules* rules, const kr_session_options* options,
                                kr_session** session, kr_error** error);
/* Adds a run; opens nothing. */
KR_API kr_status kr_session_add(kr_session* session, const kr_run_source* run, kr_error** error);
/* One table. Opens the files that were added, if they were not opened or not for as much as this
 * table needs. `stream` is released by the caller, as the Arrow C stream interface says; it stays
 * valid whatever becomes of the session. Columns and their metadata: see kr/arrow.hpp. */
KR_API kr_status kr_session_table(kr_session* session, const char* id,
                                  struct ArrowArrayStream* stream, kr_error** error);
/* Several tables, each file opened at most once. A table that these runs do not have gives a stream
 * whose `release` is NULL. */
KR_API kr_status kr_session_tables(kr_session* session, const char* const* ids, size_t count,
                                   struct ArrowArrayStream* streams, kr_error** error);
/* The result of a SELECT over the tables about runs: see docs/cli.md. */
KR_API kr_status kr_session_sql(kr_session* session, const char* query,
                                struct ArrowArrayStream* stream, kr_error** error);
/* Writes the sums of the runs to a file FILE.krun, which can be added as a run. */
KR_API kr_status kr_session_save(kr_session* session, const char* path, kr_error** error);
/* What a verb of the command line shows of the runs, `report`, `analyze`, `tree`, `diff`,
 * `coverage` or `why` (NULL: `report`), as one HTML document; `title`: NULL makes one. The caller
 * frees it with kr_string_free. */
KR_API kr_status kr_session_page(kr_session* session, const char* view, const char* title,
                                 char** page, kr_error** error);
/* The same as a text for a terminal of so many columns (0: no limit), without colours. */
KR_API kr_status kr_session_text(kr_session* session, const char* view, int32_t width, char** text,
                                 kr_error** error);

typedef struct kr_write_options {
  size_t size;        /* sizeof(kr_write_options) */
  const char* format; /* `csv`, `json`, `html`, `perfetto`, …; NULL: by the ending of the file */
  const char* view;   /* of kr_session_page; NULL: `report` */
  /* Ids. Ends with NULL; NULL: what the view shows. */
  const char* const* tables;
  const char* title; /* of a page */
  int32_t force;     /* not 0: replace a file that kr did not write */
} kr_write_options;

/* Writes results to a file: see kr::Session::write. `options` may be NULL. */
KR_API kr_status kr_session_write(kr_session* session, const char* path,
                                  const kr_write_options* options, kr_error** error);
KR_API void kr_session_free(kr_session* session);

/* Writes the runs of saved runs to one file, as `kr merge`. `runs` may be NULL. */
KR_API kr_status kr_merge_saved(const char* const* parts, size_t count, const char* path,
                                size_t* runs, kr_error** error);

/* The traces that appear in a folder, as `kr report --watch`: see kr/watch.hpp. */
typedef struct kr_watch kr_watch;
KR_API kr_status kr_watch_new(const char* folder, kr_watch** watch, kr_error** error);
/* The path of a trace that is complete, which the caller frees with kr_string_free; NULL: there is
 * none now. To be called some times per second; it does not wait. */
KR_API kr_status kr_watch_next(kr_watch* watch, char** path, kr_error** error);
KR_API void kr_watch_free(kr_watch* watch);

/* `rule_changes` says what `before` labels differently from the rules of the
 * session. */
KR_API kr_status kr_session_compare_with(kr_session* session, const kr_rules* before,
                                         kr_error** error);
/* `explanations` is about the operation of this name. Engine and
 * model: NULL detects them. */
KR_API kr_status kr_session_explain(kr_session* session, const char* name, const char* engine,
                                    const char* model, kr_error** error);

/* Notes: what a reader of the results should know, as in the table `notes`. */
typedef struct kr_notes kr_notes;

typedef struct kr_note {
  size_t size;          /* sizeof(kr_note), set by the caller */
  const char* run;      /* empty: all */
  const char* severity; /* `info`, `warning` */
  const char* code;     /* stable: `dropped-records` */
  const char* text;
  int64_t count;        /* -1: unknown */
  int64_t first_offset; /* bytes from the start of the file; -1: unknown */
} kr_note;

KR_API kr_status kr_session_notes(kr_session* session, kr_notes** notes, kr_error** error);
KR_API size_t kr_notes_count(const kr_notes* notes);
/* Fills `note`; its texts live as long as `notes`. */
KR_API kr_status kr_notes_get(const kr_notes* notes, size_t index, kr_note* note, kr_error** error);
KR_API void kr_notes_free(kr_notes* notes);

#ifdef __cplusplus
}
#endif

#endif /* KR_KR_H */
