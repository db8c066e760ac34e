// Rules files to fuzz with where libFuzzer does not: the project's own, changed at random.
#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support/source_folder.hpp"

namespace kr::fuzz {

/// The project's rules files.
inline std::vector<std::string> seeds() {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const char* folder : {"tests/golden", "stdlib", "rulesets"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(test::source_folder()) / folder)) {
      if (entry.path().extension() == ".kr") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(read_file(path));
  return texts;
}

/// Those files changed at random, from a fixed seed.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& texts) : texts_(texts) {}

  std::string next() {
    std::string text = pick(texts_);
    if (text.size() > 4000) text = text.substr(below(text.size() - 4000), 4000);
    for (size_t count = 1 + below(8); count > 0; --count) change(text);
    return text;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  void change(std::string& text) {
    static const std::vector<std::string> pieces{"{",        "}",      "(",        ")",
                                                 "\"",       "/",      "|",        "&",
                                                 "!",        ":",      "#",        "##",
                                                 "\n",       "i",      "$",        "^",
                                                 "@",        "=>",     "=",        ",",
                                                 ";",        "\\",     "within ",  "otherwise",
                                                 "keep",     "model ", "engine ",  "//",
                                                 "\"\"",     "\\x4",   "\t",       "test ",
                                                 "labels ",  "use ",   "fold ",    "refine ",
                                                 ".",        "from ",  "include ", "table ",
                                                 "pattern ", "color ", "\xc3",     "\xe2\x80\x9c",
                                                 "-"};
    const size_t at = below(text.size() + 1);
    const size_t length = std::min(below(20), text.size() - at);
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, pick(pieces));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(1 + below(255));
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 4: {
        const std::string& other = pick(texts_);
        text.insert(at, other.substr(below(other.size()), below(60)));
        break;
      }
      case 5:
        text.resize(at);
        break;
    }
  }

  const std::vector<std::string>& texts_;
  std::mt19937_64 random_{20240607};
};

}  // namespace kr::fuzz
