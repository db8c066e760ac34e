// Writes the layer-wise profile of an invented model, of any size.
//
//     make_layerwise FILE [--family llama|moe|mla] [--layers N] [--tp N] [--batch N] [--prompt N]
//                         [--decodes N] [--flat] [--compact] [--summary-only] [--odd]
//
// FILE `-` is standard output. `--layers 8 --decodes 9999` makes about 1 GB.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/layerwise_writer.hpp"

namespace {

using kr::test::ModelDescription;

[[noreturn]] void usage(const std::string& what) {
  std::fprintf(stderr, "make_layerwise: %s\n", what.c_str());
  std::exit(2);
}

ModelDescription::Family family(const std::string& name) {
  if (name == "llama") return ModelDescription::Family::llama;
  if (name == "moe") return ModelDescription::Family::moe;
  if (name == "mla") return ModelDescription::Family::mla;
  usage("no family " + name);
}

}  // namespace

int main(int argc, char** argv) {
  ModelDescription model;
  kr::test::ProfileForm form;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) usage(word + " needs a value");
      return argv[++i];
    };
    if (word == "--family") {
      model.family = family(value());
    } else if (word == "--layers") {
      model.layers = std::stoi(value());
    } else if (word == "--tp") {
      model.tensor_parallel = std::stoi(value());
    } else if (word == "--batch") {
      model.batch = std::stoi(value());
    } else if (word == "--prompt") {
      model.prompt_len = std::stoi(value());
    } else if (word == "--decodes") {
      form.decodes = std::stoi(value());
    } else if (word == "--flat") {
      form.nested = false;
    } else if (word == "--compact") {
      form.pretty = false;
    } else if (word == "--summary-only") {
      form.single_calls = false;
    } else if (word == "--odd") {
      model.odd = true;
    } else if (path.empty() && (word == "-" || word[0] != '-')) {
      path = word;
    } else {
      usage("what is " + word + "?");
    }
  }
  if (path.empty()) usage("FILE is missing");
  std::FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr) usage(path + ": " + std::strerror(errno));
  bool written = true;
  kr::test::ProfileWriter(model, form, [&](std::string_view text) {
    written = written && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  }).write();
  if (std::fclose(file) != 0 || !written) usage(path + ": cannot be written");
  return 0;
}
