// KR316: tests that fail.
#include "lint/checks.hpp"
#include "testing/testing.hpp"

namespace kr::lint {

void check_tests(const Context& context, Sink& sink) {
  report_failures(context.compiled, run_tests(context.compiled), sink);
}

}  // namespace kr::lint
