#include "page/page_data.hpp"

#include <cmath>
#include <span>
#include <unordered_map>
#include <vector>

#include "analyze/ranks.hpp"
#include "base/json_writer.hpp"
#include "overview/dimensions.hpp"
#include "overview/pivot.hpp"

namespace kr::page {
namespace {

void write_optional(JsonWriter& json, std::string_view key, const std::optional<int64_t>& number) {
  json.key(key);
  if (number) {
    json.number(*number);
  } else {
    json.null();
  }
}

void write_rank_balance(JsonWriter& json, const analyze::Ranks& ranks) {
  json.key("why_not");
  ranks.not_comparable_reason.empty() ? json.null() : json.text(ranks.not_comparable_reason);
  write_optional(json, "world_size", ranks.world_size);
  json.key("runs").open('[');
  for (const analyze::RankOfRun& run : ranks.runs) {
    json.open('{', true);
    json.key("rank").number(run.number.rank);
    json.key("rank_from").text(analyze::to_string(run.number.from));
    write_optional(json, "waiting_ns", run.waiting_ns);
    write_optional(json, "slowest_in_steps", run.slowest_steps);
    json.close('}');
  }
  json.close(']');
  json.key("balance").open('[');
  for (const analyze::Balance& one : ranks.balance) {
    const auto place = [&](std::string_view end, size_t at) {
      json.key(fmt::format("{}_rank", end)).number(ranks.runs[ranks.devices[at].run].number.rank);
      json.key(fmt::format("{}_device", end)).number(ranks.devices[at].device);
    };
    json.open('{', true);
    json.key("what").text(one.what);
    json.key("min_ns").number(one.min_ns);
    json.key("mean_ns").number(one.mean_ns);
    json.key("max_ns").number(one.max_ns);
    json.key("max_over_mean").number(one.max_over_mean);
    place("min", one.least);
    place("max", one.most);
    json.close('}');
  }
  json.close(']');
}

/// Texts that occur often, by number. They belong to the report.
class Texts {
 public:
  size_t add(std::string_view text) {
    const auto [found, fresh] = numbers_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string_view>& all() const { return texts_; }

 private:
  std::unordered_map<std::string_view, size_t> numbers_;
  std::vector<std::string_view> texts_;
};

class PageData {
 public:
  PageData(std::string& out, const overview::Report& report)
      : json_(out, JsonWriter::Place::script), report_(report) {}

  void write() {
    json_.open('{');
    json_.key("title").text(report_.title);
    json_.key("by").text(report_.by);
    json_.key("kinds").open('[');
    for (const OperationKind kind : operation_kinds) json_.text(to_string(kind));
    json_.close(']');
    json_.key("dimensions").open('[');
    for (const std::string& dimension : overview::all_dimensions(report_.runs))
      json_.text(dimension);
    json_.close(']');
    write_styles();
    json_.key("runs").open('[');
    for (const analyze::RunSummary* run : report_.runs) write_run(*run);
    json_.close(']');
    write_pivots();
    write_ranks();
    json_.key("texts").open('[');
    for (const std::string_view text : texts_.all()) json_.text(text);
    json_.close(']');
    json_.close('}');
  }

 private:
  void field(std::string_view key, int64_t value) { json_.key(key).number(value); }

  void write_styles() {
    json_.key("styles").open('[');
    for (const picture::LabelStyle& style : report_.styles) {
      json_.open('[');
      for (const std::string* text :
           {&style.dimension, &style.label, &style.title, &style.color, &style.doc}) {
        json_.text(*text);
      }
      json_.close(']');
    }
    json_.close(']');
  }

  void write_ranks() {
    const analyze::Ranks ranks = analyze::compare_ranks(report_.runs);
    if (!analyze::shown_together(ranks)) return;
    json_.key("ranks").open('{');
    write_rank_balance(json_, ranks);
    json_.key("labels").open('{');
    for (const std::string& dimension : overview::all_dimensions(report_.runs)) {
      json_.key(dimension).open('[');
      for (const analyze::LabelBalance& label : analyze::balance_labels(report_.runs, dimension)) {
        json_.open('{', true);
        json_.key("label").text(label.label);
        field("elapsed_ns", label.sum_ns);
        field("mean_ns", std::llround(label.mean_ns));
        field("max_ns", label.max_ns);
        json_.key("max_over_mean").number(label.max_over_mean);
        field("max_rank", ranks.runs[label.most].number.rank);
        json_.close('}');
      }
      json_.close(']');
    }
    json_.close('}');
    json_.close('}');
  }

  void write_sum(const analyze::LabelSum& sum) {
    json_.open('[');
    json_.number(sum.elapsed_ns);
    json_.number(sum.total_ns);
    json_.number(sum.instances);
    json_.close(']');
  }

  /// A row is its label, its sum over all runs, and those of the runs.
  void write_rows(std::string_view key, std::span<const overview::PivotRow> rows) {
    json_.key(key).open('[');
    for (const overview::PivotRow& row : rows) {
      json_.open('[', true);
      json_.text(row.label);
      write_sum(overview::sum_over_runs(row));
      for (const analyze::LabelSum& sum : row.runs) write_sum(sum);
      json_.close(']');
    }
    json_.close(']');
  }

  /// By dimension: all labels, and how many of them are drawn before the row that stands for the
  /// rest.
  void write_pivots() {
    json_.key("pivots").open('{');
    for (const std::string& dimension : overview::all_dimensions(report_.runs)) {
      const std::vector<overview::PivotRow> rows = overview::make_pivot(report_.runs, dimension);
      const std::vector<overview::PivotRow> drawn = overview::folded(rows, overview::most_labels);
      const bool others = drawn.size() < rows.size();
      json_.key(dimension).open('{');
      json_.key("drawn").number(others ? overview::most_labels : rows.size());
      write_rows("rows", rows);
      write_rows("others",
                 std::span(drawn).subspan(others ? overview::most_labels : drawn.size(), others));
      json_.close('}');
    }
    json_.close('}');
  }

  void write_run(const analyze::RunSummary& run) {
    json_.open('{');
    json_.key("id").text(run.id);
    json_.key("source").text(run.source);
    json_.key("format").text(run.format);
    json_.key("engine").text(run.engine);
    json_.key("model").text(run.model);
    json_.key("why").text(run.choice_why);
    json_.key("all").open('[');
    json_.number(run.gpu_elapsed_ns);
    json_.number(run.gpu_total_ns);
    json_.number(run.operations);
    json_.close(']');
    field("non_gpu", run.non_gpu_ns);
    field("elapsed", run.wall_ns);
    json_.key("elapsed_from").text(run.wall_from == analyze::WallFrom::user ? "user" : "span");
    json_.key("inexact").text(run.inexact);
    write_notes(run);
    write_dimensions(run);
    write_devices(run);
    write_kernels(run);
    json_.close('}');
  }

  void write_notes(const analyze::RunSummary& run) {
    json_.key("losses").open('[');
    for (const trace::Loss& loss : run.losses) {
      json_.open('{');
      json_.key("what").text(loss.what);
      json_.key("count").text(fmt::format("{}", loss.count));
      json_.key("first_offset").text(fmt::format("{}", loss.first_offset));
      json_.close('}');
    }
    json_.close(']');
    json_.key("warnings").open('[');
    for (const Warning& warning : run.warnings) json_.text(warning.text);
    json_.close(']');
  }

  void write_dimensions(const analyze::RunSummary& run) {
    json_.key("dimensions").open('[');
    for (const analyze::DimensionSum& dimension : run.dimensions) json_.text(dimension.dimension);
    json_.close(']');
  }

  void write_devices(const analyze::RunSummary& run) {
    json_.key("devices").open('[');
    for (const analyze::DeviceSum& device : run.devices) {
      json_.open('{');
      json_.key("device").number(device.device);
      json_.key("device_name").text(device.name);
      field("operations", device.operations);
      field("span_ns", device.span_ns);
      field("busy_ns", device.busy_ns);
      field("compute_ns", device.compute_ns);
      field("communication_ns", device.communication_ns);
      field("exposed_communication_ns", device.exposed_communication_ns);
      field("memory_ns", device.memory_ns);
      field("exposed_memory_ns", device.exposed_memory_ns);
      field("idle_ns", device.idle_ns);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_kernels(const analyze::RunSummary& run) {
    const auto column = [&](auto&& value) {
      json_.open('[');
      for (const analyze::NameSum& name : run.names)
        json_.number(static_cast<int64_t>(value(name)));
      json_.close(']');
    };
    json_.key("kernels").open('{');
    json_.key("name");
    column([&](const analyze::NameSum& name) { return texts_.add(name.name); });
    json_.key("kind");
    column([](const analyze::NameSum& name) { return name.kind; });
    json_.key("instances");
    column([](const analyze::NameSum& name) { return name.instances; });
    json_.key("elapsed");
    column([](const analyze::NameSum& name) { return name.elapsed_ns; });
    json_.key("total");
    column([](const analyze::NameSum& name) { return name.total_ns; });
    json_.key("min");
    column([](const analyze::NameSum& name) { return name.min_ns; });
    json_.key("max");
    column([](const analyze::NameSum& name) { return name.max_ns; });
    for (const auto& [key, member] : {std::pair{"labels", &analyze::NameSum::LabelResult::label},
                                      {"rules", &analyze::NameSum::LabelResult::rule}}) {
      json_.key(key).open('[');
      for (size_t i = 0; i < run.dimensions.size(); ++i) {
        column([&, member = member](const analyze::NameSum& name) {
          return texts_.add(name.labels[i].*member);
        });
      }
      json_.close(']');
    }
    json_.close('}');
  }

  JsonWriter json_;
  const overview::Report& report_;
  Texts texts_;
};

}  // namespace

void append_page_data(std::string& out, const overview::Report& report) {
  PageData(out, report).write();
}

size_t estimated_page_data(const overview::Report& report) {
  size_t bytes = 16384;
  for (const analyze::RunSummary* run : report.runs) {
    for (const analyze::NameSum& name : run->names) {
      bytes += name.name.size() + 60 + 12 * run->dimensions.size();
    }
  }
  return bytes;
}

}  // namespace kr::page
