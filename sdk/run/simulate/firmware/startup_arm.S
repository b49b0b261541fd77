// Vectors, reset, fault entry, semihosting call and instruction counter of the Cortex-M boards.
// Needs HARNESS_COUNTER_ADDRESS (the board's free-running FPGAIO counter) and HARNESS_COUNTER_PERIOD (instructions a
// tick under -icount shift=0). ARMv6-M instructions only, but for the registers of larger cores.
  .syntax unified
  .thumb

  .section .vectors, "a"
  .align 2
  .word harness_stack_top
  .word harness_reset
  .rept 14
  .word harness_fault_entry
  .endr

  .section .text.harness_reset, "ax"
  .align 2
  .global harness_reset
  .type harness_reset, %function
  .thumb_func
harness_reset:
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
  bl harness_main
5:
  b 5b

// Any exception: nothing here enables interrupts, so it is a fault. The frame that the core pushed goes to
// harness_fault() on a fresh stack, since the old one may be what is broken.
  .section .text.harness_fault_entry, "ax"
  .align 2
  .type harness_fault_entry, %function
  .thumb_func
harness_fault_entry:
  mrs r0, msp
  ldr r1, =harness_stack_top
  mov sp, r1
  bl harness_fault
6:
  b 6b

// intptr_t harness_semihost(intptr_t operation, const void* arguments)
  .section .text.harness_semihost, "ax"
  .align 2
  .global harness_semihost
  .type harness_semihost, %function
  .thumb_func
harness_semihost:
  bkpt 0xab
  bx lr

// void harness_vernier(harness_vernier_t*): reads the tick counter once, then again every PERIOD + 1 instructions, so
// that each reading comes one instruction later in its tick, until one reading skips a tick. The number of readings
// tells where in its tick the first one was, to the instruction; the last one was at the start of its tick.
  .section .text.harness_vernier, "ax"
  .align 2
  .global harness_vernier
  .type harness_vernier, %function
  .thumb_func
harness_vernier:
  push {r4-r6, lr}
  ldr r4, =HARNESS_COUNTER_ADDRESS
  movs r5, #0
  ldr r1, [r4]
  str r1, [r0]  // three instructions between the first reading and the loop, as many as between two of its readings
  nop
  nop
7:
  adds r5, #1
  mov r6, r1
  .rept HARNESS_COUNTER_PERIOD - 5
  nop
  .endr
  ldr r1, [r4]
  subs r3, r1, r6
  cmp r3, #1
  beq 7b
  str r5, [r0, #4]
  str r1, [r0, #8]
  pop {r4-r6, pc}
