// Instruction counter of the Cortex-M boards.
// Needs HARNESS_COUNTER_ADDRESS (the board's free-running FPGAIO counter) and HARNESS_COUNTER_PERIOD (instructions a
// tick under -icount shift=0). ARMv6-M instructions only.
  .syntax unified
  .thumb

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
