/* The output of a codegen: code, constants, and other parts of the library. */
#ifndef BYOC_ABI_ARTIFACT_H
#define BYOC_ABI_ARTIFACT_H

#include "byoc/abi/base.h"

#define BYOC_ARTIFACT_C_SOURCE 1u       /* text; compiled by the host with the host's flags */
#define BYOC_ARTIFACT_C_HEADER 2u       /* text; the plug-in's sources include it by `name` */
#define BYOC_ARTIFACT_LLVM_BITCODE 3u   /* of the host's LLVM version or older; text IR is for tests */
#define BYOC_ARTIFACT_OBJECT 4u         /* an ELF relocatable of the target */
#define BYOC_ARTIFACT_CONSTANT 5u       /* bytes that the host makes a const object of; never printed by anybody */
#define BYOC_ARTIFACT_STATIC_LIBRARY 6u /* a .a of objects of the target; its members go into the library */
#define BYOC_ARTIFACT_LINK_LIBRARY 7u   /* no bytes: `name` is what the firmware links besides: "acme_npu" for
                                           -lacme_npu */
#define BYOC_ARTIFACT_LICENCE 8u        /* text; `name` is the SPDX identifier; for the manifest and the package */

/* C source and LLVM bitcode: a kernel with one external definition, `symbol`, that models may share.
 * The host renames the symbol after the content, in the kernel and in all C and LLVM bitcode of the export that names
 * it. Given again under one symbol it is the same, to the byte. */
#define BYOC_ARTIFACT_SHARED 1u
#define BYOC_ARTIFACT_MODEL_DATA 2u /* constant: weights of the model, as opposed to tables and parameters */
#define BYOC_ARTIFACT_LOCAL 4u      /* constant: reserved; only this codegen's own objects see it */

/* The weight of the code of a C source or of LLVM bitcode where an export balances speed and size.
 * For a kernel that is given several times, the highest weight counts: hot before light before glue. */
#define BYOC_EFFORT_USUAL 0u /* nothing is stated: hot for shared kernels and for bitcode, glue for C of one model */
#define BYOC_EFFORT_HOT 1u   /* the time of a run goes there */
#define BYOC_EFFORT_LIGHT 2u /* it follows what is hot and does little itself: small, unless speed is all that counts */
#define BYOC_EFFORT_GLUE 3u  /* calls and tables: small */

typedef struct byoc_artifact {
  uint32_t struct_size;
  uint32_t kind;        /* BYOC_ARTIFACT_... */
  uint64_t flags;       /* BYOC_ARTIFACT_... */
  byoc_string_t name;   /* file stem (sources, bitcode, objects), file name as included (headers); else as said above */
  byoc_string_t symbol; /* constants, shared kernels: the external definition. From byoc_build_t::claim, except for
                           shared kernels, whose symbol the host renames after the content */
  uint32_t align;       /* constants: bytes, a power of two; 0 is that of the element */
  uint32_t element;     /* constants: element type of the C declaration that the host writes; BYOC_U8 for blobs */
  byoc_string_t region; /* constants: a flash pool of the target; "" is "flash" */
  byoc_string_t standard;       /* C sources: "c99" ("" too), "c11", "c17", "gnu11" ... */
  const byoc_string_t* defines; /* bitcode, objects, libraries: the external symbols that steps and instance name */
  uint32_t define_count;
  uint32_t include_count;
  const byoc_string_t* include_directories; /* C sources: absolute folders of the vendor's headers */
  uint64_t size;                            /* bytes that will be written, if known; 0: not known */
  uint32_t effort; /* C sources, bitcode: BYOC_EFFORT_... */
  uint32_t reserved0;
} byoc_artifact_t;

#endif
