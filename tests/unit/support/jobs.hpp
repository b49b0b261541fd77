// Names of the services that workers of these tests have.
#pragma once

#include <string_view>

#include "sdk/base/support/helper_program.hpp"

namespace byoc::test {

// Jobs of worker_test.cpp and of run_apart_test.cpp.
void do_job(Worker::Channel& channel, std::string_view arguments);
void do_apart(Worker::Channel& channel, std::string_view arguments);
void converse(Worker::Channel& channel, std::string_view arguments);

}  // namespace byoc::test
