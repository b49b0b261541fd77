// Files and exit by semihosting, in QEMU's working directory. Operation numbers and arguments: Arm, "Semihosting for
// AArch32 and AArch64", which RISC-V follows.
#include "harness.h"

enum { SYS_OPEN = 1, SYS_WRITE = 5, SYS_READ = 6, SYS_EXIT = 0x18 };
enum { MODE_RB = 1, MODE_WB = 5 };
enum { ADP_STOPPED_RUN_TIME_ERROR = 0x20023, ADP_STOPPED_APPLICATION_EXIT = 0x20026 };

intptr_t board_semihost(intptr_t operation, const void* arguments);

intptr_t port_open(const char* name, int mode) {
  uintptr_t length = 0;
  while (name[length] != 0) length++;
  const uintptr_t arguments[] = {(uintptr_t)name, mode == HARNESS_READ ? MODE_RB : MODE_WB, length};
  return board_semihost(SYS_OPEN, arguments);
}

// Both return how many bytes were not transferred, and a host may transfer fewer than asked.
static int transfer(intptr_t operation, intptr_t file, uintptr_t data, size_t bytes) {
  while (bytes != 0) {
    const uintptr_t arguments[] = {(uintptr_t)file, data, bytes};
    const intptr_t left = board_semihost(operation, arguments);
    if (left < 0 || (size_t)left >= bytes) return 1;
    data += bytes - (size_t)left;
    bytes = (size_t)left;
  }
  return 0;
}

int port_read(intptr_t file, void* data, size_t bytes) { return transfer(SYS_READ, file, (uintptr_t)data, bytes); }

int port_write(intptr_t file, const void* data, size_t bytes) {
  return transfer(SYS_WRITE, file, (uintptr_t)data, bytes);
}

void port_exit(int code) {
  const uintptr_t reason = code == 0 ? ADP_STOPPED_APPLICATION_EXIT : ADP_STOPPED_RUN_TIME_ERROR;
#if UINTPTR_MAX > UINT32_MAX
  const uintptr_t arguments[] = {reason, (uintptr_t)code};
  board_semihost(SYS_EXIT, arguments);
#else
  board_semihost(SYS_EXIT, (const void*)reason);
#endif
  for (;;) {
  }
}

extern char board_stack_bottom[], board_stack_top[];

void port_stack(char** lowest, size_t* bytes) {
  *lowest = board_stack_bottom;
  *bytes = (size_t)(board_stack_top - board_stack_bottom);
}
