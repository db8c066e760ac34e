// kr why: which rule labels a name, or an operation with its neighbours, and which others would
// have.
#include "classify/why.hpp"

#include <charconv>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "export/views.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "session.hpp"
#include "tables/explanation.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct WhyOptions {
  std::vector<std::string> words;  // in place of a name
  NameQuery query;
  std::vector<std::string> within;
  std::string operation;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
  OutputOptions outputs;
  RulesOptions rules;
  TraceOptions trace;
};

OutputRules why_outputs() {
  const exports::View& view = exports::view_named("why");
  return {.stem = std::string(view.stem), .tables = view.tables};
}

/// The names of `A > B > C`. Names of C++ have `>`, too: it is one name unless each `>` between
/// blanks is outside of `<` and `>`, and those of each name match.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  size_t begin = 0;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] != '>' || (i > 0 && text[i - 1] == '-')) continue;
    const bool apart =
        i > begin + 1 && i + 2 < text.size() && text[i - 1] == ' ' && text[i + 1] == ' ';
    if (depth == 0 && apart) {
      names.push_back(text.substr(begin, i - 1 - begin));
      begin = i + 2;
    } else if (--depth < 0) {
      return {text};
    }
  }
  if (depth != 0) return {text};
  names.push_back(text.substr(begin));
  return names;
}

/// The names that `>` joins; one if there is none.
std::vector<std::string> parse_names(const std::vector<std::string>& words) {
  if (words.size() == 1) return names_in(words[0]);
  std::vector<std::string> names;
  for (size_t i = 0; i < words.size(); ++i) {
    if ((words[i] == ">") != (i % 2 == 1)) {
      throw Error("", fmt::format("`{}` is at the wrong place among names", words[i]),
                  "join names by '>': kr why A '>' B; quote a name that has blanks");
    }
    if (i % 2 == 0) names.push_back(words[i]);
  }
  if (words.size() % 2 == 0) {
    throw Error("", "no name is behind the last '>'", "write kr why A '>' B");
  }
  return names;
}

/// A start, or a name.
OperationQuery parse_operation(const WhyOptions& options) {
  OperationQuery query{.device = options.device, .stream = options.stream};
  int64_t start_ns = 0;
  const std::string& text = options.operation;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), start_ns);
  if (error == std::errc() && end == text.data() + text.size()) {
    query.start_ns = start_ns;
  } else {
    query.name = text;
  }
  return query;
}

void reject(bool given, std::string_view option, std::string_view why) {
  if (given) throw Error("", fmt::format("{} {}", option, why), "leave it out");
}

Exit why(const WhyOptions& options, Streams& streams) {
  const bool of_trace = !options.operation.empty();
  std::vector<classify::RunSpec> specs;
  std::vector<std::string> names;
  if (of_trace) {
    constexpr std::string_view known = "is known of an operation of a trace";
    reject(!options.query.kind.empty(), "--kind", known);
    reject(options.query.within.has_value(), "--within", known);
    if (options.words.size() > 1) {
      throw Error("", "--operation is for one trace", "write kr why TRACE --operation START_NS");
    }
    specs = parse_runs(options.words);
    if (!options.query.engine.empty()) specs[0].engine = options.query.engine;
    if (!options.query.model.empty()) specs[0].model = options.query.model;
  } else {
    constexpr std::string_view only = "is for an operation of a trace (--operation)";
    reject(options.device.has_value(), "--device", only);
    reject(options.stream.has_value(), "--stream", only);
    names = parse_names(options.words);
  }
  Outputs outputs(options.outputs, why_outputs(), specs);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  session::Session session = open_session(rules, options.trace, streams);
  const auto explain = [&]() -> const tables::Explanation& {
    if (of_trace) return session.explain(specs[0], parse_operation(options));
    if (names.size() > 1) {
      constexpr std::string_view one = "is for a single name";
      reject(!options.query.kind.empty(), "--kind", one);
      reject(options.query.within.has_value(), "--within", one);
      return session.explain(
          session::SequenceQuery{names, options.query.engine, options.query.model});
    }
    NameQuery query = options.query;
    query.name = names[0];
    if (!query.kind.empty()) {
      query.kind = parse_choice(query.kind, "--kind", {"kernel", "memcpy", "memset"});
    }
    return session.explain(query);
  };
  const tables::Explanation& explanation = explain();
  show_warnings(session, streams, Infos::hidden);
  const auto text = [&](const auto& out, auto) {
    out(overview::why_text(rules, explanation, {.color = streams.color_out()}));
  };
  outputs.finish(session.source(), {{"table", text}}, streams);
  return Exit::done;
}

Action setup_why(CLI::App& app) {
  auto options = std::make_shared<WhyOptions>();
  app.add_option("NAME", options->words,
                 "Name of an operation, quoted for the shell; several of one stream joined by "
                 "'>'; with --operation a trace: PATH[,ENGINE,MODEL]")
      ->required();
  app.add_option("--engine", options->query.engine, "Engine (default: detected from the name)")
      ->configurable();
  app.add_option("--model", options->query.model, "Model (default: detected from the name)")
      ->configurable();
  app.add_option("--kind", options->query.kind, "kernel, memcpy or memset (default: all)")
      ->type_name("KIND");
  CLI::Option* within =
      app.add_option(
             "--within", options->within,
             "Names of enclosing modules and ranges, outermost first; `--within \"\"`: none")
          ->type_name("TEXT")
          ->expected(0, -1);
  app.add_option("--operation", options->operation,
                 "Of a trace: the operation with this start, or the first of this name")
      ->type_name("START_NS|NAME");
  app.add_option("--device", options->device, "The device of the operation")->type_name("N");
  app.add_option("--stream", options->stream, "The stream of the operation")->type_name("N");
  options->outputs.add_to(app, why_outputs());
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options, within](Streams& streams) {
    std::erase(options->within, "");
    if (within->count() > 0) options->query.within = options->within;
    return why(*options, streams);
  };
}

}  // namespace

const Verb why_verb{"why", "show which rule labels a name, and why",
                    "kr why flash_fwd_splitkv_kernel --engine vllm --model llama", setup_why,
                    "Results"};

}  // namespace kr::cli
