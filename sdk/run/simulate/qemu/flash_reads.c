/*
 * A plug-in for QEMU that tells which addresses of a memory a program reads: a line "Read <address>" on the standard
 * error stream for each, in hexadecimal, among those of QEMU's own log, which has the blocks that they are of.
 * Arguments, decimal, for each part of it: from=<first address>, to=<address behind the last>.
 *
 * The declarations are what QEMU 7.2 exports to plug-ins (its documentation: "QEMU TCG Plugins"); GPL code of QEMU's is
 * not included.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*byoc_translated_t)(uint64_t id, struct qemu_plugin_tb* block);
typedef void (*byoc_accessed_t)(unsigned cpu, uint32_t access, uint64_t address, void* user);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, byoc_translated_t called);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* instruction, byoc_accessed_t called, int flags,
                                      int access, void* user);
_Bool qemu_plugin_mem_is_store(uint32_t access);

#define BYOC_VISIBLE __attribute__((visibility("default")))
BYOC_VISIBLE int qemu_plugin_version = 1;
BYOC_VISIBLE int qemu_plugin_install(uint64_t id, const void* info, int argc, char** argv);

#define BYOC_PARTS 4
static struct {
  uint64_t from, to;
} parts[BYOC_PARTS];

static void accessed(unsigned cpu, uint32_t access, uint64_t address, void* user) {
  int i;
  (void)cpu;
  (void)user;
  if (qemu_plugin_mem_is_store(access)) return;
  for (i = 0; i < BYOC_PARTS; ++i)
    if (address >= parts[i].from && address < parts[i].to) fprintf(stderr, "Read %llx\n", (unsigned long long)address);
}

static void translated(uint64_t id, struct qemu_plugin_tb* block) {
  const int no_registers = 0, reads_and_writes = 3; /* reads alone are never told of */
  size_t i;
  (void)id;
  for (i = 0; i < qemu_plugin_tb_n_insns(block); ++i)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), accessed, no_registers, reads_and_writes, NULL);
}

int qemu_plugin_install(uint64_t id, const void* info, int argc, char** argv) {
  int i, part = 0;
  (void)info;
  for (i = 0; i < argc && part < BYOC_PARTS; ++i) {
    if (strncmp(argv[i], "from=", 5) == 0) parts[part].from = strtoull(argv[i] + 5, NULL, 10);
    if (strncmp(argv[i], "to=", 3) == 0) parts[part++].to = strtoull(argv[i] + 3, NULL, 10);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
