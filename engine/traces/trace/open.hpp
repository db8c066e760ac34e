// Opens a trace of any format there is: sniffed from its content, decompressed on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/module_trace.hpp"
#include "trace/source_places.hpp"
#include "trace/trace.hpp"
#include "trace/window.hpp"

namespace kr::trace {

/// How far reading is. Written by the reader, read by the thread that shows it.
struct Progress {
  std::atomic<uint64_t> done{0};   // bytes of the file as stored, or rows
  std::atomic<uint64_t> total{0};  // 0: not known
  /// Set by that thread: the reader gives up, with an Error, at the next block.
  std::atomic<bool> stop{false};
  void check(const std::string& shown) const;
};

/// How much is read of what the host did, where the format has it.
enum class HostDetail : uint8_t {
  none,
  range_names,  // Trace::range_names, for what `within` may match at all
  all,          // Trace::host
};

struct OpenOptions {
  std::string nsys_command = "nsys";
  bool allow_truncated = false;
  bool allow_inexact = false;
  /// A record whose time cannot be right is an Error, not a note (trace/time_faults.hpp).
  bool strict = false;
  /// nsys may be silent this long before it is taken to hang; 0: for ever.
  int nsys_timeout_seconds = 0;
  /// Of a layer-wise profile: every call by itself (`model_stats`) rather than summed up.
  bool each_call = false;
  HostDetail host = HostDetail::none;
  bool waits = false;       // HostTrace::waits, with HostDetail::all
  bool ops = false;         // HostTrace::ops, with HostDetail::all
  bool call_sites = false;  // HostTrace::frames, with HostDetail::all
  /// As a reference for kernels of graphs (engine/traces/align): ops as ranges, and the kernels
  /// that calls name. With HostDetail::all.
  bool reference = false;
  /// Whether samples of GPUs are read, where the format has them: Trace::gpu_metrics.
  bool gpu_metrics = false;
  /// Whether events of memory are read, where the format has them: Trace::memory.
  bool memory = false;
  /// Trace::details, where the format has them.
  bool operation_details = false;
  /// Trace::collectives, where the format has them.
  bool collectives = false;
  /// Of a merged trace only the process that has this member or rank; empty: all.
  std::string rank = {};
  /// Of annotations that PyTorch wrote beside its trace: the file, or its folder; empty: the one in
  /// the folder above the trace's, where there is any.
  std::string annotations = {};
  /// Of a profile of Proton in several files: those beside the one that is opened.
  std::vector<std::string> parts = {};
  /// What is looked at of the run. Readers read all of it: analyze::label_run reduces it.
  Window window = {};
  /// For `cut`, which reads again: where the reader says what is where, if its format is a text.
  SourcePlaces* places = nullptr;
  size_t block_size = size_t{256} << 10;  // bytes that one thread reads at a time
  unsigned threads = 0;                   // 0: as many as there are processors
  Progress* progress = nullptr;
};

/// `path` `-` is standard input. Throws Error, also if it contains the traces of several processes.
Trace open_trace(const std::string& path, const OpenOptions& options = {});

/// One or the other, by what `path` contains.
struct Opened {
  std::vector<Trace> traces;  // one per process of a merged trace
  std::optional<ModuleTrace> modules;
};
/// Traces only. Throws Error.
std::vector<Trace> open_traces(const std::string& path, const OpenOptions& options = {});
/// Whatever is there. Throws Error.
Opened open_any(const std::string& path, const OpenOptions& options = {});
/// Whether `path` contains only module trees, by its first bytes. Not for standard
/// input. Throws Error.
bool contains_module_trees(const std::string& path, const OpenOptions& options = {});
/// The traces in a folder that is not a trace itself, by their first bytes and by name: runs of a
/// job, one file each. Empty: it is a trace, such as a folder of CSVs, or has none.
std::vector<std::string> traces_in_folder(const std::string& path);
/// Whether opening it a second time gives the same, for no more than what reading it costs: no
/// pipe, no report that another program has to export first. Throws Error.
bool may_open_again(const std::string& path, const OpenOptions& options = {});

/// The path without its folder and without the extensions of format (.csv, .sqlite, .nsys-rep, …)
/// and compression: `runs/llama.csv.gz` is `llama`. `-` is `stdin`.
std::string trace_stem(const std::string& path);

}  // namespace kr::trace
