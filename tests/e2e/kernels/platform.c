/* Vectors, start and semihosting of a Cortex-M board, for programs without input. */
#include <stdint.h>

int main(void);
extern uint32_t bss_start[], bss_end[], stack_top[];
void platform_put(const char* text);

static int semihost(int operation, const void* argument) {
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void platform_put(const char* text) { (void)semihost(4, text); }

static void leave(int status) {
  (void)status;
  (void)semihost(0x18, (const void*)0x20026);
  for (;;) {
  }
}

void platform_start(void) {
  uint32_t* p;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  *(volatile uint32_t*)0xE000ED88u |= 0x00F00000u;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
  for (p = bss_start; p < bss_end; ++p) *p = 0;
  leave(main());
}

static void platform_fault(void) {
  platform_put("fault\n");
  leave(1);
}

typedef void (*vector_t)(void);
__attribute__((section(".vectors"), used)) static const vector_t vectors[16] = {(vector_t)(uintptr_t)stack_top,
                                                                                platform_start,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault,
                                                                                platform_fault};
