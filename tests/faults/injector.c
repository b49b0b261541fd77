// A preload library that counts the calls of a program to the C library and lets one of them fail.
//
//   BYOC_FAULT=<kind>:<n>   the nth call of this kind (from 1) fails, in this process or a child of it
//   BYOC_FAULT_LOG=<file>   gets a line at the end: how many calls of each kind there were
//   BYOC_FAULT_CHANGES=<file>   gets a line for each change to files as it happens (power_cut.py says what they are)
//
// Calls count from main() on. A child goes on counting where its parent was when it forked; a worker of byoc's counts
// from its own beginning. What the C library calls inside itself is not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { MALLOC, OPEN, READ, WRITE, FSYNC, RENAME, MKDIR, FORK, MMAP, DLOPEN, PIPE, KINDS };
static const char* const names[KINDS] = {"malloc", "open", "read", "write",  "fsync", "rename",
                                         "mkdir",  "fork", "mmap", "dlopen", "pipe"};
static atomic_long calls[KINDS];
static long failing_call;  // 0: none
static enum kind failing_kind;
static pid_t first;  // the process that was started
static int began;    // main() has

// Nothing here may allocate: it may be called by the first malloc.
static int fails(enum kind kind) {
  if (!began) return 0;
  const long n = atomic_fetch_add(&calls[kind], 1) + 1;
  return kind == failing_kind && n == failing_call;
}

static void begin(void) {
  first = getpid();
  const char* fault = getenv("BYOC_FAULT");
  const char* colon = fault ? strchr(fault, ':') : NULL;
  for (int k = 0; colon && k < KINDS; ++k)
    if (strlen(names[k]) == (size_t)(colon - fault) && strncmp(names[k], fault, colon - fault) == 0) {
      failing_kind = (enum kind)k;
      failing_call = strtol(colon + 1, NULL, 10);
    }
  began = 1;
}

typedef int main_t(int, char**, char**);
static main_t* real_main;
static int main_from_here(int argc, char** argv, char** environment) {
  begin();
  return real_main(argc, argv, environment);
}
int __libc_start_main(main_t* main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void* stack_end) {
  real_main = main;
  __typeof__(&__libc_start_main) next = (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
  return next(main_from_here, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void) {
  const char* log = getenv("BYOC_FAULT_LOG");
  if (log == NULL || getpid() != first) return;
  char text[512];
  int size = 0;
  for (int k = 0; k < KINDS; ++k)
    size += snprintf(text + size, sizeof text - (size_t)size, "%s %ld\n", names[k], atomic_load(&calls[k]));
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  (void)!syscall(SYS_write, file, text, (size_t)size);
  syscall(SYS_close, file);
}

// Inode numbers, 0 where there is nothing.
static unsigned long inode_of(const char* path) {
  struct stat status;
  return syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? (unsigned long)status.st_ino : 0;
}
static unsigned long folder_of(const char* path) {
  char folder[4096];
  const char* const slash = strrchr(path, '/');
  if (slash == NULL) return inode_of(".");
  if (slash == path) return inode_of("/");
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  struct stat status;
  return syscall(SYS_newfstatat, AT_FDCWD, folder, &status, 0) == 0 ? (unsigned long)status.st_ino : 0;
}
static void tell(const char* format, ...) {
  const char* const log = getenv("BYOC_FAULT_CHANGES");
  if (log == NULL || !began) return;
  const int before = errno;
  char text[9000];
  va_list list;
  va_start(list, format);
  const int size = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  (void)!syscall(SYS_write, file, text, (size_t)size);
  syscall(SYS_close, file);
  errno = before;
}
static ssize_t tell_file(const char* what, int file, ssize_t result) {
  struct stat status;
  if (result >= 0 && syscall(SYS_fstat, file, &status) == 0) tell("%s %lu\n", what, (unsigned long)status.st_ino);
  return result;
}
static int tell_entry(const char* path, int flags_or_made, int result) {
  if (result >= 0 && flags_or_made) tell("entry %lu %lu\n", folder_of(path), inode_of(path));
  return result;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void* real(const char* name) { return dlsym(RTLD_NEXT, name); }
#define FAIL(kind, error, result) \
  do {                            \
    if (fails(kind)) {            \
      errno = error;              \
      return result;              \
    }                             \
  } while (0)

// glibc's own names of these: dlsym() allocates.
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  FAIL(MALLOC, ENOMEM, NULL);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  FAIL(MALLOC, ENOMEM, NULL);
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  FAIL(MALLOC, ENOMEM, NULL);
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t align, size_t size) {
  FAIL(MALLOC, ENOMEM, NULL);
  return __libc_memalign(align, size);
}
int posix_memalign(void** out, size_t align, size_t size) {
  if (fails(MALLOC)) return ENOMEM;
  *out = __libc_memalign(align, size);
  return *out == NULL ? ENOMEM : 0;
}

static int is_creating(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }
#define MODE(flags, last)                  \
  mode_t mode = 0;                         \
  if (is_creating(flags)) {                \
    va_list list;                          \
    va_start(list, last);                  \
    mode = (mode_t)va_arg(list, unsigned); \
    va_end(list);                          \
  }
int open(const char* path, int flags, ...) {
  MODE(flags, flags)
  FAIL(OPEN, is_creating(flags) ? ENOSPC : EMFILE, -1);
  return tell_entry(path, is_creating(flags), (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  MODE(flags, flags)
  FAIL(OPEN, is_creating(flags) ? ENOSPC : EMFILE, -1);
  return tell_entry(path, is_creating(flags), (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  MODE(flags, flags)
  FAIL(OPEN, is_creating(flags) ? ENOSPC : EMFILE, -1);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  FAIL(OPEN, EMFILE, NULL);
  return REAL(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  FAIL(OPEN, EMFILE, NULL);
  return REAL(fopen64)(path, mode);
}
int mkstemp(char* pattern) {
  FAIL(OPEN, ENOSPC, -1);
  return REAL(mkstemp)(pattern);
}
char* mkdtemp(char* pattern) {
  FAIL(MKDIR, ENOSPC, NULL);
  return REAL(mkdtemp)(pattern);
}
int mkdir(const char* path, mode_t mode) {
  FAIL(MKDIR, ENOSPC, -1);
  return tell_entry(path, 1, (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

ssize_t read(int file, void* to, size_t size) {
  FAIL(READ, EIO, -1);
  return syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void* to, size_t size, off_t at) {
  FAIL(READ, EIO, -1);
  return syscall(SYS_pread64, file, to, size, at);
}
ssize_t pread64(int file, void* to, size_t size, off64_t at) {
  FAIL(READ, EIO, -1);
  return syscall(SYS_pread64, file, to, size, at);
}
ssize_t write(int file, const void* from, size_t size) {
  FAIL(WRITE, ENOSPC, -1);
  return tell_file("write", file, syscall(SYS_write, file, from, size));
}
ssize_t pwrite(int file, const void* from, size_t size, off_t at) {
  FAIL(WRITE, ENOSPC, -1);
  return tell_file("write", file, syscall(SYS_pwrite64, file, from, size, at));
}
ssize_t pwrite64(int file, const void* from, size_t size, off64_t at) {
  FAIL(WRITE, ENOSPC, -1);
  return tell_file("write", file, syscall(SYS_pwrite64, file, from, size, at));
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  FAIL(WRITE, ENOSPC, -1);
  return tell_file("write", file, syscall(SYS_writev, file, parts, count));
}
ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t size, unsigned flags) {
  FAIL(WRITE, ENOSPC, -1);
  return tell_file("write", to, syscall(SYS_copy_file_range, from, from_at, to, to_at, size, flags));
}
int ftruncate(int file, off_t size) {
  FAIL(WRITE, ENOSPC, -1);
  return (int)tell_file("write", file, syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) {
  FAIL(WRITE, ENOSPC, -1);
  return (int)tell_file("write", file, syscall(SYS_ftruncate, file, size));
}

int fsync(int file) {
  FAIL(FSYNC, EIO, -1);
  return (int)tell_file("sync", file, syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  FAIL(FSYNC, EIO, -1);
  return (int)tell_file("sync", file, syscall(SYS_fdatasync, file));
}
int rename(const char* from, const char* to) {
  FAIL(RENAME, EIO, -1);
  const unsigned long moved = inode_of(from);
  const int result = (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  if (result == 0) tell("place %lu %lu %s\n", folder_of(to), moved, to);
  return result;
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  FAIL(RENAME, EIO, -1);
  return (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  FAIL(RENAME, EIO, -1);
  const unsigned long moved = inode_of(from);
  const int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (result == 0) tell("place %lu %lu %s\n", folder_of(to), moved, to);
  return result;
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  FAIL(RENAME, EIO, -1);
  return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

pid_t fork(void) {
  FAIL(FORK, EAGAIN, -1);
  return REAL(fork)();
}
pid_t vfork(void) {  // as fork: this frame does not outlive vfork's
  FAIL(FORK, EAGAIN, -1);
  return REAL(fork)();
}
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  FAIL(FORK, EAGAIN, EAGAIN);  // of workers
  return REAL(posix_spawn)(pid, path, files, attributes, arguments, environment);
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  FAIL(MMAP, ENOMEM, MAP_FAILED);
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int file, off64_t offset) {
  FAIL(MMAP, ENOMEM, MAP_FAILED);
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}
void* dlopen(const char* path, int flags) {
  FAIL(DLOPEN, ENOENT, NULL);  // dlerror() says nothing then
  return REAL(dlopen)(path, flags);
}
int pipe(int files[2]) {
  FAIL(PIPE, EMFILE, -1);
  return (int)syscall(SYS_pipe2, files, 0);
}
int pipe2(int files[2], int flags) {
  FAIL(PIPE, EMFILE, -1);
  return (int)syscall(SYS_pipe2, files, flags);
}
