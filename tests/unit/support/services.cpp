#include "tests/support/services.hpp"

#include "tests/unit/support/jobs.hpp"

std::vector<byoc::Service> byoc::test::services() {
  return {{"job", do_job}, {"apart", do_apart}, {"converse", converse}};
}
