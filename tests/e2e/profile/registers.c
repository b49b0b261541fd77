/* A 32-bit process with ordinary memory where Arm's cores have DWT and PMU: what byoc/rt/profile.h writes there. */
#include <stdio.h>
#include <sys/mman.h>

#include "byoc/rt/profile.h"

static uint32_t* map(uintptr_t page) {
  void* const at =
      mmap((void*)page, 0x1000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return at == (void*)page ? (uint32_t*)at : 0;
}

int main(void) {
  uint32_t* const scs = map(0xE000E000u);
  uint32_t* const dwt = map(0xE0001000u);
  uint32_t* const pmu = map(0xE0003000u);
  if (!scs || !dwt || !pmu) return 77;
  scs[0xDFC / 4] = 0x10;
  dwt[0] = 0x40000000;
  dwt[1] = 99;
  byoc_dwt_start();
  printf("DEMCR %08x DWT_CTRL %08x CYCCNT %u LAR %08x\n", scs[0xDFC / 4], dwt[0], dwt[1], dwt[0xFB0 / 4]);
  dwt[1] = 1234;
  printf("dwt %u\n", byoc_dwt_cycles());
  scs[0xDFC / 4] = 0;
  byoc_pmu_start();
  printf("DEMCR %08x PMU_CTRL %08x CNTENSET %08x\n", scs[0xDFC / 4], pmu[0xE04 / 4], pmu[0xC00 / 4]);
  pmu[0x7C / 4] = 5678;
  printf("pmu %u\n", byoc_pmu_cycles());
  return 0;
}
