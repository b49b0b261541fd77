// Reset, trap entry and semihosting call for RISC-V machines in M mode, RV32 and RV64.
  .option arch, +zicsr

  .section .vectors, "ax"
  .global board_start
  .type board_start, @function
board_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, board_stack_top
  la tp, __tls_start
  la t0, board_trap
  csrw mtvec, t0
#if defined(__riscv_vector)
  li t0, 0x200  // mstatus.VS: initial
  csrs mstatus, t0
#endif
#if defined(__riscv_flen)
  li t0, 0x2000  // mstatus.FS: initial
  csrs mstatus, t0
  csrw fcsr, zero
#endif
  la t0, __data_start
  la t1, __data_end
  la t2, __data_load
1:
  bgeu t0, t1, 2f
  lw t3, 0(t2)
  sw t3, 0(t0)
  addi t0, t0, 4
  addi t2, t2, 4
  j 1b
2:
  la t0, __bss_start
  la t1, __bss_end
3:
  bgeu t0, t1, 4f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 3b
4:
  call board_main
5:
  j 5b

  .balign 4
board_trap:
  csrr a0, mepc
  csrr a1, mcause
  csrr a2, mtval
  mv a3, sp
  la sp, board_stack_top
  call board_fault
6:
  j 6b

// long board_semihost(long operation, const void* arguments): the marked ebreak, all three uncompressed on one page.
  .section .text.board_semihost, "ax"
  .global board_semihost
  .type board_semihost, @function
  .option push
  .option norvc
  .balign 16
board_semihost:
  slli zero, zero, 0x1f
  ebreak
  srai zero, zero, 7
  ret
  .option pop
