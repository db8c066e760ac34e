// KR316: tests that fail.
#include "lint/checks.hpp"

namespace kr::lint {

void check_tests(const Context& context, diag::Sink& sink) {
  testing::report_failures(context.compiled, testing::run_tests(context.compiled, context.tests),
                           sink);
}

}  // namespace kr::lint
