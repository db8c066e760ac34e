#include "page/tree_html.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/json_writer.hpp"
#include "page/page_parts.hpp"
#include "page/tree_page_data.hpp"
#include "picture/tree_bars.hpp"
#include "picture/tree_colors.hpp"
#include "picture/tree_title.hpp"
#include "trees/names.hpp"

namespace kr::page {
namespace {

constexpr size_t most_context = 200;   // members of the context that are told
constexpr size_t longest_value = 300;  // characters of one
constexpr size_t longest_key = 120;    // of a step's

/// Names and labels, by number, cut where all together would be too many bytes.
class TreeTexts {
 public:
  explicit TreeTexts(size_t room) : room_(room) {}

  size_t add(std::string_view text) {
    const auto [found, fresh] = numbers_.try_emplace(text, texts_.size());
    if (fresh) {
      texts_.push_back(text);
      bytes_ += text.size();
    }
    return found->second;
  }
  void write(JsonWriter& json) const {
    const size_t longest = texts_.empty() ? 0 : std::max<size_t>(20, room_ / texts_.size());
    json.open('[');
    for (const std::string_view text : texts_) {
      if (bytes_ <= room_ || text.size() <= longest) {
        json.text(text);
      } else {
        json.text(trees::cut_at_end(std::string(text), longest));
      }
    }
    json.close(']');
  }

 private:
  size_t room_;
  size_t bytes_ = 0;
  std::unordered_map<std::string_view, size_t> numbers_;
  std::vector<std::string_view> texts_;
};

class PageWriter {
 public:
  PageWriter(std::string& out, const sema::Program& program, const trees::TreeView& view,
             const trees::TreeRun& run, trees::Metric metric, const TreePageLimits& limits)
      : json_(out, JsonWriter::Place::script),
        program_(program),
        view_(view),
        run_(run),
        metric_(metric),
        data_(tree_page_data(view, limits)),
        texts_(limits.text_bytes) {}

  void write() {
    json_.open('{');
    write_head();
    write_entries();
    write_steps();
    write_places();
    write_sums();
    write_trees();
    json_.key("texts");
    texts_.write(json_);
    json_.close('}');
  }

 private:
  void optional(const std::optional<int64_t>& value) {
    if (value) {
      json_.number(*value);
    } else {
      json_.null();
    }
  }
  template <class Values>
  void numbers(const char* key, const Values& values) {
    json_.key(key).open('[');
    for (const auto value : values) json_.number(static_cast<int64_t>(value));
    json_.close(']');
  }

  void write_head() {
    const trace::ModuleTrace& trace = view_.trace();
    const trees::ViewOptions& how = view_.options();
    json_.key("id").text(run_.id);
    json_.key("subject").text(trees::cut_at_end(picture::tree_subject(trace), longest_value));
    json_.key("facts").open('[');
    for (const std::string& fact : picture::tree_facts(trace))
      json_.text(trees::cut_at_end(fact, longest_value));
    json_.close(']');
    json_.key("source").text(trace.source);
    json_.key("format").text(trace.format);
    json_.key("engine").text(run_.engine);
    json_.key("model").text(run_.model);
    json_.key("why").text(view_.modules().choice.why);
    json_.key("metric").text(trees::to_string(metric_));
    json_.key("dimension").text(how.dimension);
    json_.key("by_label").text(how.by_label ? how.dimension : "");
    json_.key("level").text(trees::to_string(how.level));
    json_.key("step_interval").number(how.step_interval);
    json_.key("lost").number(view_.lost_ns());
    json_.key("all_steps").number(view_.steps().size());
    json_.key("context").open('[');
    for (size_t i = 0; i < trace.context.size() && i < most_context; ++i) {
      json_.open('[');
      json_.text(trees::cut_at_end(trace.context[i].key, longest_value));
      json_.text(trees::cut_at_end(trace.context[i].value, longest_value));
      json_.close(']');
    }
    json_.close(']');
    json_.key("losses").open('[');
    for (const trace::Loss& loss : trace.losses) {
      json_.open('[');
      json_.text(loss.what);
      json_.text(fmt::format("{}", loss.count));
      json_.text(fmt::format("{}", loss.first_offset));
      json_.close(']');
    }
    json_.close(']');
    json_.key("warnings").open('[');
    for (const Warning& warning : trace.warnings) json_.text(warning.text);
    json_.close(']');
  }

  void write_entries() {
    const std::vector<std::string> colors = picture::tree_colors(program_, view_);
    const std::vector<trees::ViewEntry>& entries = view_.entries();
    json_.key("entries").open('[');
    for (uint32_t i = 0; i < data_.entries; ++i) {
      json_.open('[');
      json_.text(entries[i].name);
      json_.text(colors[i]);
      json_.close(']');
    }
    json_.close(']');
    json_.key("others").number(data_.others ? 1 : 0);
  }

  void write_steps() {
    json_.key("phases").open('[');
    for (const std::string& phase : data_.phases) json_.text(trees::cut_at_end(phase, longest_key));
    json_.close(']');
    json_.key("steps").open('[');
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    std::vector<int64_t> ns(data_.entries + 1, 0), calls(data_.entries + 1, 0);
    for (const size_t at : data_.bars) {
      const trees::ViewStep& step = view_.steps()[at];
      json_.open('[', true);
      json_.text(trees::cut_at_end(step.key, longest_key));
      json_.number(data_.phase_of[at]);
      optional(step.running_seqs);
      json_.number(step.total_ns);
      view_.rows(at, nodes, rows);
      for (const trees::ViewRow& row : rows) {
        const uint32_t entry = data_.page_entry(row.entry);
        ns[entry] += row.total_ns;
        calls[entry] = picture::bounded_sum(calls[entry], row.invocations);
      }
      json_.open('[');
      for (uint32_t entry = 0; entry < ns.size(); ++entry) {
        if (ns[entry] == 0 && calls[entry] == 0) continue;
        json_.number(entry);
        json_.number(ns[entry]);
        json_.number(calls[entry]);
        ns[entry] = calls[entry] = 0;
      }
      json_.close(']');
      json_.close(']');
    }
    json_.close(']');
  }

  void write_places() {
    const trace::ModuleTrace& trace = view_.trace();
    json_.key("cut_depth");
    optional(data_.cut_in_depth ? std::optional(data_.deepest) : std::nullopt);
    json_.key("places").open('{');
    numbers("parent", data_.parents);
    json_.key("name").open('[');
    for (const trace::PathId path : data_.paths) json_.number(texts_.add(trace.name(path)));
    json_.close(']');
    json_.key("label").open('[');
    for (const trace::PathId path : data_.paths) {
      const std::string_view label = view_.label(path);
      if (label == trace.name(path)) {
        json_.number(-1);
      } else {
        json_.number(texts_.add(label));
      }
    }
    json_.close(']');
    json_.key("ordinal").open('[');
    for (const trace::PathId path : data_.paths) json_.number(trace.paths.ordinal(path));
    json_.close(']');
    numbers("entry", data_.entry_of);
    json_.close('}');
  }

  void write_sums() {
    json_.key("sums").open('[');
    for (const TreePageData::Sum& sum : data_.sums) {
      json_.open('{', true);
      numbers("places", sum.places);
      numbers("ns", sum.ns);
      numbers("calls", sum.calls);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_trees() {
    json_.key("shapes").open('[');
    for (const TreePageData::Shape& shape : data_.shapes) {
      json_.open('{', true);
      numbers("places", shape.places);
      numbers("calls", shape.calls);
      json_.close('}');
    }
    json_.close(']');
    json_.key("tree_interval").number(data_.tree_interval);
    json_.key("trees").open('[');
    std::vector<trace::ModuleNode> nodes;
    size_t bar = 0;
    for (const TreePageData::Tree& tree : data_.trees) {
      while (data_.bars[bar] != tree.step) ++bar;
      view_.trace().expand(view_.steps()[tree.step].index, nodes);
      json_.open('[', true);
      json_.number(bar);
      json_.number(tree.shape);
      json_.open('[');
      for (const uint32_t leaf : data_.shapes[tree.shape].leaves)
        json_.number(nodes[leaf].total_ns);
      json_.close(']');
      json_.close(']');
    }
    json_.close(']');
  }

  JsonWriter json_;
  const sema::Program& program_;
  const trees::TreeView& view_;
  const trees::TreeRun& run_;
  trees::Metric metric_;
  TreePageData data_;
  TreeTexts texts_;
};

}  // namespace

std::string to_tree_html(const sema::Program& program, const trees::TreeView& view,
                         const trees::TreeRun& run, trees::Metric metric,
                         const TreePageLimits& limits) {
  return assemble_page(
      tree_page, "Module trees of " + run.id, size_t{1} << 20,
      [&](std::string& out) { PageWriter(out, program, view, run, metric, limits).write(); });
}

}  // namespace kr::page
