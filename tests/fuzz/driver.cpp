// Runs a fuzz target without libFuzzer: texts of a fixed seed, dense in the bytes that mean
// something to a parser.   driver [ROUNDS]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  constexpr std::string_view meaning = "\\()[]{}^$.*+?|-:<>=!,/dwsbBAzix019aZ_ \"\n\xc3\xa9";
  constexpr unsigned seed = 20240229;
  const long rounds = argc > 1 ? std::atol(argv[1]) : 20000;
  std::mt19937 random(seed);
  const auto below = [&](size_t bound) { return static_cast<size_t>(random() % bound); };
  for (long round = 0; round < rounds; ++round) {
    std::string text;
    for (size_t left = below(64); left > 0; --left) {
      text += below(16) == 0 ? static_cast<char>(random() & 0xff) : meaning[below(meaning.size())];
      // Long runs are what stacks and automata suffer from.
      if (below(256) == 0) text.append(below(2000), text.back());
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  }
  std::printf("%ld texts of seed %u\n", rounds, seed);
}
