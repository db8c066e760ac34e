// `kr list` of what rules files define.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/join.hpp"
#include "ncu/gpus.hpp"
#include "sema/load.hpp"
#include "syntax/metadata.hpp"
#include "tables/columns.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"

namespace kr::tables {
namespace {

std::string listed_file(const match::CompiledRules& rules, source::Span span) {
  return span.valid() ? rules.sources().path(span.file) : std::string();
}

/// The name of a rules module: `gemm` of `stdlib/gemm.kr`.
std::string rules_module(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

/// What an engine, or one of its models, is detected by, as written in the file that defines it.
std::string listed_detect(const match::CompiledRules& rules, const std::string& engine,
                          const std::string& model) {
  std::string text;
  const auto set = [&](const sema::LoadedFile& file, const syntax::Body& body) {
    text.clear();
    for (const syntax::Detect& detect : body.detects) {
      if (!text.empty()) text += " | ";
      text += rules.sources().text(file.tree.exprs.get(detect.expr).span);
    }
  };
  for (const sema::LoadedFile& file : rules.rules->files) {
    if (!file.root) continue;
    for (const syntax::Engine& one : file.tree.engines) {
      if (one.name.text != engine) continue;
      if (model.empty()) set(file, one.body);
      for (const syntax::Model& own : one.models) {
        if (own.name.text == model) set(file, own.body);
      }
    }
  }
  return text;
}

/// A model or an engine as written; null: nobody wrote it.
struct WrittenRules {
  const syntax::File* file = nullptr;
  const syntax::Engine* engine = nullptr;
  const syntax::Model* model = nullptr;
};

WrittenRules written_rules(const match::CompiledRules& rules, const sema::Engine& engine,
                           const sema::Model* model) {
  WrittenRules written;
  if (!engine.span.valid()) return written;
  written.file = &rules.rules->files[engine.span.file.index].tree;
  for (const syntax::Engine& one : written.file->engines) {
    if (one.name.span == engine.span) written.engine = &one;
  }
  if (written.engine == nullptr || model == nullptr) return written;
  for (const syntax::Model& one : written.engine->models) {
    if (one.name.span == model->span) written.model = &one;
  }
  return written;
}

using MetadataLists = std::initializer_list<const std::vector<syntax::Metadata>*>;

std::string listed_metadata(syntax::MetadataKind kind, MetadataLists lists) {
  return join(syntax::metadata_of(kind, lists), ", ");
}

std::string listed_metadata(syntax::MetadataKind kind, const WrittenRules& written) {
  static const std::vector<syntax::Metadata> none;
  return listed_metadata(kind, {written.model != nullptr ? &written.model->body.metadata : &none,
                                written.engine != nullptr ? &written.engine->body.metadata : &none,
                                written.file != nullptr ? &written.file->metadata : &none});
}

/// Of a file; what it does not say, its engines say.
std::string listed_metadata(syntax::MetadataKind kind, const syntax::File& file) {
  std::vector<syntax::Metadata> of_engines;
  for (const syntax::Engine& engine : file.engines) {
    of_engines.insert(of_engines.end(), engine.body.metadata.begin(), engine.body.metadata.end());
  }
  return listed_metadata(kind, {&file.metadata, &of_engines});
}

/// What an engine, a model or a file says of itself.
struct Listed {
  std::string author, since, link;
  std::string detect = {};
};

template <class Of>
Listed listed(const Of& of) {
  using syntax::MetadataKind;
  return {listed_metadata(MetadataKind::author, of), listed_metadata(MetadataKind::since, of),
          listed_metadata(MetadataKind::link, of)};
}

struct ListedEngine : Parts<sema::Engine, Listed> {
  std::string file;
};

void add_listed_engines(const Source& source, Rows<ListedEngine>& rows) {
  const match::CompiledRules& rules = *source.rules;
  for (const sema::Engine& engine : rules.program().engines) {
    Listed about = listed(written_rules(rules, engine, nullptr));
    about.detect = listed_detect(rules, engine.name, "");
    rows.add({{engine, about}, listed_file(rules, engine.span)});
  }
}

struct ListedModel : Parts<sema::Model, Listed> {
  const sema::Engine& engine;
  std::string file;

  bool is_written() const { return of<sema::Model>().span.valid(); }  // `default` is not
};

void add_listed_models(const Source& source, Rows<ListedModel>& rows) {
  const match::CompiledRules& rules = *source.rules;
  const sema::Program& program = rules.program();
  for (const sema::Engine& engine : program.engines) {
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program.models.get(id);
      const bool own = model.span.valid();
      Listed about = listed(written_rules(rules, engine, own ? &model : nullptr));
      if (own) about.detect = listed_detect(rules, engine.name, model.name);
      rows.add({{model, about}, engine, listed_file(rules, own ? model.span : engine.span)});
    }
  }
}

struct ListedLabel : Parts<sema::Label> {
  std::string_view engine;
  std::string_view dimension;
  std::string file;
};

void add_listed_labels(const Source& source, Rows<ListedLabel>& rows) {
  const match::CompiledRules& rules = *source.rules;
  const sema::Program& program = rules.program();
  for (const sema::Engine& engine : program.engines) {
    std::set<std::pair<uint32_t, std::string>> seen;  // models share them
    for (const sema::ModelId id : engine.models) {
      for (const sema::Table& of_dimension : program.models.get(id).tables) {
        for (const sema::Label& label : of_dimension.vocabulary) {
          if (!seen.insert({of_dimension.dimension.index, label.name}).second) continue;
          rows.add({{label},
                    engine.name,
                    program.dimensions.get(of_dimension.dimension).name,
                    listed_file(rules, label.span)});
        }
      }
    }
  }
}

struct ListedPattern : Parts<syntax::Pattern> {
  const std::string& path;
  std::string_view text;
};

void add_listed_patterns(const Source& source, Rows<ListedPattern>& rows) {
  const source::SourceMap& sources = source.rules->sources();
  for (const sema::LoadedFile& file : source.rules->rules->files) {
    const std::string& path = sources.path(file.file);
    for (const syntax::Pattern& pattern : file.tree.patterns) {
      rows.add({{pattern}, path, sources.text(file.tree.exprs.get(pattern.expr).span)});
    }
  }
}

struct ListedFile : Parts<syntax::File, Listed> {
  std::string path;

  std::string name() const { return rules_module(path); }
};

void add_listed_modules(const Source& source, Rows<ListedFile>& rows) {
  std::map<std::string, const sema::LoadedFile*> by_path;
  for (const sema::LoadedFile& file : source.rules->rules->files) {
    if (!file.root) by_path.emplace(source.rules->sources().path(file.file), &file);
  }
  for (const auto& [path, file] : by_path) rows.add({{file->tree, listed(file->tree)}, path});
}

std::string engines_of(const syntax::File& file) {
  std::vector<std::string_view> engines;
  for (const syntax::Engine& engine : file.engines) engines.push_back(engine.name.text);
  return join(engines, ", ");
}

void add_listed_rulesets(const Source& source, Rows<ListedFile>& rows) {
  const auto add = [&](const sema::LoadedRules& rules) {
    for (const sema::LoadedFile& file : rules.files) {
      if (!file.root) continue;
      rows.add({{file.tree, listed(file.tree)}, rules.sources.path(file.file)});
    }
  };
  if (!source.shipped) return add(*source.rules->rules);
  for (const auto& rules : *source.shipped) add(*rules);
}

/// A peak; nothing if it is not known.
Cell known(double value) {
  return value > 0 ? Cell(int64_t{std::llround(value)}) : Cell();
}

using ListedGpu = ncu::GpuPeaks;
void add_listed_gpus(const Source& /*source*/, Rows<ListedGpu>& rows) {
  for (const ncu::GpuPeaks& gpu : ncu::gpus()) {
    rows.add(gpu);
  }
}

Columns<ListedGpu>::Item listed_peak(const char* id, std::string_view what,
                                     double ncu::GpuPeaks::*peak) {
  return {id,
          Unit::per_second,
          Role::measure,
          fmt::format("{}; nothing if it has none or that is not known.", what),
          [peak](const ListedGpu& gpu) { return known(gpu.*peak); },
          optional};
}

constexpr table::Head file_column{"ruleset", Unit::text, Role::measure,
                                  "The rules file that defines it; nothing if it is built in.",
                                  optional};
constexpr table::Head file_key{"ruleset", Unit::text, Role::key, "The rules file."};
constexpr table::Head title_column{"title", Unit::text, Role::measure,
                                   "Its title; nothing if it has none.", optional};
constexpr table::Head doc_column{"doc", Unit::text, Role::measure,
                                 "Its documentation in the rules file, may be empty."};
constexpr table::Head doc_of_file{"doc", Unit::text, Role::measure,
                                  "The documentation at its beginning, may be empty."};
constexpr table::Head detect_column{
    "detect", Unit::text, Role::measure,
    "The expression that detects it, as written; nothing if it is never detected.", optional};
constexpr table::Head requires_column{
    "requires", Unit::text, Role::measure,
    "The least version of kr that reads the file; nothing if it does not say.", optional};

template <class Row>
Columns<Row> metadata_columns(std::string_view else_of, Role link = Role::measure) {
  return {
      {"author", Unit::text, Role::measure,
       fmt::format("Who wrote it, joined with `, `; else {}; nothing if neither says.", else_of),
       &Listed::author, optional},
      {"since", Unit::text, Role::measure,
       fmt::format("The date since which the rules apply, `2026-11` or `2026-11-26`; else {}; "
                   "nothing if neither says.",
                   else_of),
       &Listed::since, optional},
      {"link", Unit::text, link,
       fmt::format("Addresses to read more, joined with `, `; else {}; nothing if neither says.",
                   else_of),
       &Listed::link, optional}};
}

}  // namespace

const Definition list_engines_table = TableOf<ListedEngine>{
    {"list_engines",
     "engines",
     "One row per engine of the rules.",
     {{"name", Unit::text, Role::key, "The name of the engine.", &sema::Engine::name},
      {title_column, &sema::Engine::title},
      {file_column, &ListedEngine::file},
      {doc_column, &sema::Engine::doc},
      {detect_column, &Listed::detect},
      metadata_columns<ListedEngine>("that of its file")}},
    needs<match::CompiledRules>,
    add_listed_engines};

const Definition list_models_table = TableOf<ListedModel>{
    {"list_models",
     "models",
     "One row per engine and model of the rules.",
     {{"engine", Unit::text, Role::key, "The engine of the model.",
       [](const ListedModel& row) { return &row.engine.name; }},
      {"name", Unit::text, Role::key,
       "The name of the model; `default` has only the rules of the engine.", &sema::Model::name},
      {title_column,
       [](const ListedModel& row) {
         return row.is_written() ? &row.of<sema::Model>().title : &row.engine.title;
       }},
      {file_column, &ListedModel::file},
      {doc_column,
       [](const ListedModel& row) -> std::string_view {
         if (!row.is_written()) return "only the rules of the engine";
         return row.of<sema::Model>().doc;
       }},
      {detect_column, &Listed::detect},
      metadata_columns<ListedModel>("that of its engine or file", Role::detail)}},
    needs<match::CompiledRules>,
    add_listed_models};

const Definition list_labels_table = TableOf<ListedLabel>{
    {"list_labels",
     "labels",
     "One row per engine, dimension and label that its models declare.",
     {{head::engine, &ListedLabel::engine},
      {head::the_dimension, &ListedLabel::dimension},
      {"name", Unit::text, Role::key, "The label.", &sema::Label::name},
      {title_column, &sema::Label::title},
      {"color", Unit::text, Role::measure, "Its colour as `#rrggbb`; nothing if it declares none.",
       &sema::Label::color, optional},
      {file_column, &ListedLabel::file},
      {doc_column, &sema::Label::doc}}},
    needs<match::CompiledRules>,
    add_listed_labels};

const Definition list_patterns_table = TableOf<ListedPattern>{
    {"list_patterns",
     "patterns",
     "One row per named pattern of the rules files and of the files that they use.",
     {{"name", Unit::text, Role::key, "The rules module and the pattern, as in `gemm.grouped`.",
       [](const ListedPattern& row) {
         return rules_module(row.path) + '.' + row.of<syntax::Pattern>().name.text;
       }},
      {"ruleset", Unit::text, Role::key, "The rules file that defines it.",
       [](const ListedPattern& row) { return &row.path; }},
      {doc_column, &syntax::Pattern::doc},
      {"expression", Unit::text, Role::measure, "Its expression as written.",
       &ListedPattern::text}}},
    needs<match::CompiledRules>,
    add_listed_patterns};

const Definition list_modules_table = TableOf<ListedFile>{
    {"list_modules",
     "rules modules",
     "One row per rules file that other rules files use.",
     {{"name", Unit::text, Role::measure, "The name of the rules module.", &ListedFile::name},
      {file_key, &ListedFile::path},
      {doc_of_file, &syntax::File::doc},
      {requires_column, syntax::required_version},
      metadata_columns<ListedFile>("those of its engines")}},
    needs<match::CompiledRules>,
    add_listed_modules};

const Definition list_rulesets_table = TableOf<ListedFile>{
    {"list_rulesets",
     "rulesets",
     "One row per ruleset: those that ship with kr, or those given to the command.",
     {{"name", Unit::text, Role::measure, "The name of the ruleset.", &ListedFile::name},
      {file_key, &ListedFile::path},
      {"engine", Unit::text, Role::measure,
       "The engines that it defines, joined with `, `; nothing if it defines none.", engines_of,
       optional},
      {doc_of_file, &syntax::File::doc},
      {requires_column, syntax::required_version},
      metadata_columns<ListedFile>("those of its engines")}},
    needs<ShippedRules>,
    add_listed_rulesets};

const Definition list_gpus_table = TableOf<ListedGpu>{
    {"list_gpus",
     "data sheets of GPUs",
     "One row per GPU whose data sheet kr has: dense peaks, never with sparsity, for `--gpu`.",
     {{"name", Unit::text, Role::key, "The GPU.", &ncu::GpuPeaks::name},
      listed_peak("fp64_per_s", "FP64 operations per second of its vector units",
                  &ncu::GpuPeaks::fp64),
      listed_peak("fp32_per_s", "FP32 operations per second of its vector units",
                  &ncu::GpuPeaks::fp32),
      listed_peak("tf32_per_s", "TF32 operations per second of its tensor cores",
                  &ncu::GpuPeaks::tf32),
      listed_peak("fp16_tensor_per_s",
                  "FP16 operations per second of its tensor cores, accumulated in FP32",
                  &ncu::GpuPeaks::fp16_tensor),
      listed_peak("bf16_tensor_per_s",
                  "BF16 operations per second of its tensor cores, accumulated in FP32",
                  &ncu::GpuPeaks::bf16_tensor),
      listed_peak("fp8_tensor_per_s",
                  "FP8 operations per second of its tensor cores, accumulated in FP32",
                  &ncu::GpuPeaks::fp8_tensor),
      listed_peak("int8_tensor_per_s", "INT8 operations per second of its tensor cores",
                  &ncu::GpuPeaks::int8_tensor),
      listed_peak("dram_bytes_per_s", "Bytes per second of its memory",
                  &ncu::GpuPeaks::dram_bytes_per_s),
      listed_peak("l2_bytes_per_s", "Bytes per second read from its L2 cache",
                  &ncu::GpuPeaks::l2_bytes_per_s),
      {"sms", Unit::count, Role::measure,
       "Its multiprocessors, or compute units; nothing if that is not known.",
       [](const ncu::GpuPeaks& gpu) { return cell_if_any(gpu.sms); }, optional},
      {"source", Unit::text, Role::measure, "The documents that have these figures.",
       &ncu::GpuPeaks::source}}},
    needs<>,
    add_listed_gpus};

}  // namespace kr::tables
