// Vectors, reset, fault entry and semihosting call of Cortex-M boards. ARMv6-M instructions only, but for the registers
// of larger cores.
  .syntax unified
  .thumb

  .section .vectors, "a"
  .align 2
  .word board_stack_top
  .word board_start
  .rept 14
  .word board_fault_entry
  .endr

  .section .text.board_start, "ax"
  .align 2
  .global board_start
  .type board_start, %function
  .thumb_func
board_start:
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  // CPACR: full access to CP10 and CP11, the FPU and MVE.
  ldr r0, =0xE000ED88
  ldr r1, [r0]
  ldr r2, =0x00F00000
  orrs r1, r2
  str r1, [r0]
  dsb
  isb
#endif
#if __ARM_ARCH == 6
  // v6-M faults on unaligned accesses; the core that runs its code here does so only with CCR.UNALIGN_TRP.
  ldr r0, =0xE000ED14
  ldr r1, [r0]
  movs r2, #8
  orrs r1, r2
  str r1, [r0]
#endif
  ldr r0, =__data_start
  ldr r1, =__data_end
  ldr r2, =__data_load
1:
  cmp r0, r1
  bhs 2f
  ldmia r2!, {r3}
  stmia r0!, {r3}
  b 1b
2:
  ldr r0, =__bss_start
  ldr r1, =__bss_end
  movs r3, #0
3:
  cmp r0, r1
  bhs 4f
  stmia r0!, {r3}
  b 3b
4:
  bl board_main
5:
  b 5b

// Any exception: nothing here enables interrupts, so it is a fault. The frame that the core pushed goes to
// board_fault() on a fresh stack, since the old one may be what is broken.
  .section .text.board_fault_entry, "ax"
  .align 2
  .type board_fault_entry, %function
  .thumb_func
board_fault_entry:
  mrs r0, msp
  ldr r1, =board_stack_top
  mov sp, r1
  bl board_fault
6:
  b 6b

// intptr_t board_semihost(intptr_t operation, const void* arguments)
  .section .text.board_semihost, "ax"
  .align 2
  .global board_semihost
  .type board_semihost, %function
  .thumb_func
board_semihost:
  bkpt 0xab
  bx lr
