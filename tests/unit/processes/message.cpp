#include "processes/message.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "kr/error.hpp"
#include "processes/processes.hpp"
#include "threads.hpp"

using namespace kr;

TEST_CASE("numbers and texts come back, and what is cut off is an error") {
  processes::MessageWriter writer;
  const std::string zeros("a\0b", 3);
  writer.number(0);
  writer.text("");
  writer.number(UINT64_MAX);
  writer.text(zeros);
  writer.number(0x0102030405060708);
  const std::string bytes = writer.bytes();
  processes::MessageReader reader(bytes);
  CHECK(reader.number() == 0);
  CHECK(reader.text().empty());
  CHECK(reader.number() == UINT64_MAX);
  CHECK(reader.text() == zeros);
  CHECK_FALSE(reader.at_end());
  CHECK(reader.number() == 0x0102030405060708);
  CHECK(reader.at_end());
  CHECK_THROWS_AS(reader.number(), InternalError);
  // The lowest byte first, on any machine.
  CHECK(bytes.substr(bytes.size() - 8) == "\x08\x07\x06\x05\x04\x03\x02\x01");

  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string part = bytes.substr(0, size);
    processes::MessageReader cut(part);
    CHECK_THROWS_AS((cut.number(), cut.text(), cut.number(), cut.text(), cut.number()),
                    InternalError);
  }
}

TEST_CASE("a process alone hands out numbers, and has nobody to talk to") {
  processes::OneProcess one;
  CHECK(one.count() == 1);
  CHECK(one.number() == 0);
  CHECK(one.next() == 0);
  CHECK(one.next() == 1);
  one.stop();
  CHECK(one.next() >= processes::Processes::stopped);
  CHECK(one.exchange("x") == std::vector<std::string>{"x"});
  CHECK_THROWS_AS(one.send(0, "x"), InternalError);
  CHECK_THROWS_AS(one.receive(0), InternalError);
}

TEST_CASE("all processes hear of the first that cannot begin") {
  for (size_t count = 1; count <= 8; ++count) {
    test::Team team(count);
    team.run([&](processes::Processes& processes) {
      CHECK_FALSE(processes::agree(processes, std::nullopt));
      // An empty reason is one, too.
      const auto own = processes.number() + 2 >= count
                           ? std::optional(std::string(processes.number() % 2, 'w'))
                           : std::nullopt;
      const auto refusal = processes::agree(processes, own);
      CHECK(refusal);
      if (!refusal) return;
      CHECK(refusal->process == (count < 2 ? 0 : count - 2));
      CHECK(refusal->why == std::string(refusal->process % 2, 'w'));
    });
    CHECK(team.agrees());
  }
}
