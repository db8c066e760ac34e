// kr completions SHELL and kr man [VERB]: made from the same verbs and options that are parsed.
#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct Word {
  std::string text;
  std::string help;
};

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\'' || c == '[' || c == ']' || c == ':') c = ' ';
  }
  return text;
}

std::vector<Word> options_of(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.push_back({"--" + name, one_line(option->get_description())});
    }
  }
  return words;
}

std::vector<Word> verbs_of(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) {
      words.push_back({sub->get_name(), one_line(sub->get_description())});
    }
  }
  return words;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

std::string bash(const CLI::App& app) {
  std::string cases;
  for (const Word& verb : verbs_of(app)) {
    cases += fmt::format(
        "    {}) words='{}' ;;\n", verb.text,
        joined(options_of(*app.get_subcommand(verb.text))) + " " + joined(options_of(app)));
  }
  return fmt::format(R"(_kr() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words
  case ${{COMP_WORDS[1]}} in
{}    *) words='{}' ;;
  esac
  if [[ $COMP_CWORD -gt 1 && $current != -* ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o filenames -F _kr kr
)",
                     cases, joined(verbs_of(app)) + " " + joined(options_of(app)));
}

std::string zsh(const CLI::App& app) {
  std::string verbs;
  std::string cases;
  for (const Word& verb : verbs_of(app)) {
    verbs += fmt::format("    '{}:{}'\n", verb.text, verb.help);
    cases += fmt::format("    {}) _arguments '*:file:_files'", verb.text);
    for (const Word& option : options_of(*app.get_subcommand(verb.text))) {
      cases += fmt::format(" '{}[{}]'", option.text, option.help);
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef kr
_kr() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  case $words[2] in
{}  esac
}}
compdef _kr kr
)",
                     verbs, cases);
}

std::string fish(const CLI::App& app) {
  std::string text;
  for (const Word& verb : verbs_of(app)) {
    text += fmt::format("complete -c kr -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.text,
                        verb.help);
    for (const Word& option : options_of(*app.get_subcommand(verb.text))) {
      text += fmt::format("complete -c kr -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                          verb.text, option.text.substr(2), option.help);
    }
  }
  return text;
}

/// A line of troff: a leading dot or quote would be a request, a backslash an escape.
std::string troff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out = "\\&" + out;
  return out;
}

void man_options(const CLI::App& app, std::string& text) {
  for (const CLI::Option* option : app.get_options()) {
    text += fmt::format(".TP\n.B {}\n{}\n", troff(option->get_name(true, true)),
                        troff(option->get_description()));
  }
}

std::string man(const CLI::App& app) {
  std::string title = program().name;
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string text = fmt::format(
      ".TH {0} 1 \"\" \"kr {1}\" \"User Commands\"\n.SH NAME\n{2} \\- {3}\n.SH SYNOPSIS\n.B {2}\n"
      "VERB [OPTION]...\n.SH OPTIONS\n",
      title, KR_VERSION, troff(program().name), troff(app.get_description()));
  man_options(app, text);
  text += ".SH VERBS\n";
  for (const Verb* verb : program().verbs) {
    text += fmt::format(".SS {} {}\n{}\n.PP\nExample: {}\n", troff(program().name), verb->name,
                        troff(verb->summary), troff(verb->example));
    man_options(*app.get_subcommand(verb->name), text);
  }
  text += ".SH EXIT STATUS\n.TP\n.B 0\ndone, no findings\n.TP\n.B 1\nfindings\n.TP\n.B 2\nfailed\n";
  return text;
}

std::unique_ptr<CLI::App> whole_app(Streams& streams) {
  std::vector<Action> ignored;
  return make_app(streams, ignored);
}

Action setup_completions(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required();
  return [shell](Streams& streams) {
    const std::string name = parse_choice(*shell, "SHELL", {"bash", "zsh", "fish"});
    const auto whole = whole_app(streams);
    streams.out(name == "bash" ? bash(*whole) : name == "zsh" ? zsh(*whole) : fish(*whole));
    return Exit::done;
  };
}

Action setup_man(CLI::App&) {
  return [](Streams& streams) {
    streams.out(man(*whole_app(streams)));
    return Exit::done;
  };
}

}  // namespace

const Verb completions_verb{"completions", "print completions for a shell",
                            "kr completions bash > /etc/bash_completion.d/kr", setup_completions,
                            "Setup"};

const Verb man_verb{"man", "print the manual page", "kr man > kr.1", setup_man, "Setup"};

}  // namespace kr::cli
