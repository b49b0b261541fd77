// Linux: files and clock of the C library, and a stack of our own that can be painted.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness.h"

#define STACK_BYTES ((size_t)8 << 20)

static char* stack;
static uint64_t start_time;

#if defined(HARNESS_EMULATED)
const uint32_t port_counter_unit = HARNESS_COUNTS_NOTHING;  // the time would be the emulator's
#else
const uint32_t port_counter_unit = HARNESS_COUNTS_NANOSECONDS;
#endif

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void port_counter_start(void) { start_time = now(); }
uint64_t port_counter_stop(void) { return now() - start_time; }

intptr_t port_open(const char* name, int mode) {
  return open(name, mode == HARNESS_READ ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

int port_read(intptr_t file, void* data, size_t bytes) {
  while (bytes != 0) {
    const ssize_t n = read((int)file, data, bytes);
    if (n <= 0) return 1;
    data = (char*)data + n;
    bytes -= (size_t)n;
  }
  return 0;
}

int port_write(intptr_t file, const void* data, size_t bytes) {
  while (bytes != 0) {
    const ssize_t n = write((int)file, data, bytes);
    if (n <= 0) return 1;
    data = (const char*)data + n;
    bytes -= (size_t)n;
  }
  return 0;
}

void port_exit(int code) { _exit(code); }

void port_stack(char** lowest, size_t* bytes) {
  *lowest = stack;
  *bytes = STACK_BYTES;
}

int main(void) {
  static ucontext_t caller, harness;
  const size_t guard = 65536;
  char* memory = mmap(NULL, guard + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0 || getcontext(&harness) != 0) return 1;
  stack = memory + guard;
  harness.uc_stack.ss_sp = stack;
  harness.uc_stack.ss_size = STACK_BYTES;
  harness.uc_link = &caller;
  makecontext(&harness, board_main, 0);
  swapcontext(&caller, &harness);
  return 1;
}
