// Preloaded into the service, this library makes the disk of the data folder fail. While the file FAILING_DISK_FAULT
// exists, each write, sync, truncation and creation of the file that is its first word, or of any file in that folder,
// fails with the error number that is its second word (failing-disk.ts).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/** The function of the C library that has this name. */
#define REAL(name) \
  ({ \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    function; \
  })

/** The error that a change of this file must fail with; 0 while the disk works. */
static int fault_of(const char *path) {
  const char *file = getenv("FAILING_DISK_FAULT");
  if (!file || access(file, F_OK)) return 0;
  char part[PATH_MAX];
  int error = 0;
  FILE *fault = fopen(file, "r");
  if (!fault) return 0;
  if (fscanf(fault, "%4095s %d", part, &error) != 2) error = 0;
  fclose(fault);
  size_t length = strlen(part);
  int is_folder = length > 0 && part[length - 1] == '/';
  int matches = is_folder ? !strncmp(path, part, length) : !strcmp(path, part);
  return matches ? error : 0;
}

/** Whether a change of the file with this descriptor fails now. */
static int fails(int fd) {
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  int error = *path == '/' ? fault_of(path) : 0;
  errno = error ? error : before;
  return error != 0;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int error = flags & O_CREAT ? fault_of(path) : 0;
  if (error) {
    errno = error;
    return -1;
  }
  return REAL(open)(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count) { return fails(fd) ? -1 : REAL(write)(fd, bytes, count); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fails(fd) ? -1 : REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t from) {
  return fails(fd) ? -1 : REAL(pwrite)(fd, bytes, count, from);
}

int ftruncate(int fd, off_t size) { return fails(fd) ? -1 : REAL(ftruncate)(fd, size); }

int fsync(int fd) { return fails(fd) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails(fd) ? -1 : REAL(fdatasync)(fd); }

#define SAME(name, as) __typeof__(as) name __attribute__((alias(#as)))
SAME(open64, open);
SAME(pwrite64, pwrite);
SAME(ftruncate64, ftruncate);
