/* The one target of an export, the same for every codegen. Everything that is emitted is compiled for it, and every
 * object is read back and compared with it. Filled in by the host; lives until the codegen is destroyed. */
#ifndef BYOC_ABI_TARGET_H
#define BYOC_ABI_TARGET_H

#include "byoc/abi/base.h"

#define BYOC_POOL_FLASH 0u
#define BYOC_POOL_RAM 1u

/* A memory. Constants are placed in flash pools, workspaces and private values in RAM pools. */
typedef struct byoc_memory_pool {
  uint32_t struct_size;
  uint32_t kind;      /* BYOC_POOL_... */
  byoc_string_t name; /* "ram", "dtcm", "flash", "npu_flash": what artifacts, workspaces and values are declared with */
  uint64_t size;      /* bytes; 0: not bounded */
  const byoc_string_t* attributes; /* "tcm", "dma", "cached" ... */
  uint32_t attribute_count;
  uint32_t reserved0;
  byoc_string_t section; /* flash: prefix of the sections of its constants; "" is .rodata */
} byoc_memory_pool_t;

#define BYOC_TARGET_BIG_ENDIAN 1u
#define BYOC_TARGET_SHORT_ENUMS 2u /* an enum takes the smallest integer that holds it */
#define BYOC_TARGET_HOSTED 4u      /* an operating system's C library is there */
#define BYOC_TARGET_PIC 8u

typedef struct byoc_target {
  uint32_t struct_size;
  uint32_t pointer_width;   /* bits */
  uint64_t flags;           /* BYOC_TARGET_... */
  byoc_string_t name;       /* "cortex-m4f"; for people */
  byoc_string_t triple;     /* normalised LLVM triple: "thumbv7em-none-unknown-eabihf" */
  byoc_string_t cpu;        /* "cortex-m4" */
  byoc_string_t march;      /* RISC-V: "rv32imc"; otherwise "" */
  byoc_string_t fpu;        /* ARM: "fpv4-sp-d16"; "" where there is none or the cpu says it */
  byoc_string_t float_abi;  /* ARM: "hard", "soft", "softfp"; otherwise "" */
  byoc_string_t abi;        /* RISC-V: "ilp32"; otherwise "" */
  byoc_string_t code_model; /* "", "small", "medium", "large" */
  byoc_string_t toolchain;  /* who will compile C: "clang", "gnu" */
  const byoc_string_t* isa; /* what code may use: "thumb", "dsp", "mve", "mve.fp", "fp.sp", "fp.dp", "hwdiv" ... */
  uint32_t isa_count;
  uint32_t pool_count;
  const byoc_memory_pool_t* const* pools; /* the first RAM pool is where workspaces go that name none */
} byoc_target_t;

#endif
