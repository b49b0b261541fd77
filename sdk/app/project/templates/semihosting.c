/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU's side of the console: semihosting, on the standard output of the emulator. */
#include "board/console.h"

/* In startup.S. Operations: Arm, "Semihosting for AArch32 and AArch64", which RISC-V follows. */
intptr_t board_semihost(intptr_t operation, const void* arguments);
enum { sys_open = 0x01, sys_write = 0x05, sys_exit = 0x18, mode_w = 4 };
enum { stopped_run_time_error = 0x20023, stopped_application_exit = 0x20026 };

void port_write(const char* text, size_t length) {
  static intptr_t terminal = -1;
  if (terminal < 0) {
    const uintptr_t name[] = {(uintptr_t)":tt", mode_w, 3};
    terminal = board_semihost(sys_open, name);
  }
  const uintptr_t written[] = {(uintptr_t)terminal, (uintptr_t)text, length};
  board_semihost(sys_write, written);
}

void port_end(int code) {
  const uintptr_t reason = code == 0 ? stopped_application_exit : stopped_run_time_error;
  board_semihost(sys_exit, (const void*)reason);
  for (;;) {
  }
}
