// This library is preloaded into the service. It makes file-changing calls fail, as a rule file specifies (failing-disk.ts). A
// failed call has no effect. A short write writes half of its bytes, and returns that number.
//
// FAILING_DISK_RULE is a file outside the data folder. Calls fail while it exists. It contains the path of a file, or of a
// folder with a trailing slash, and four numbers: the errno, how many of 1,000 calls fail, which calls (the sum of the
// numbers below), and a seed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "pwrite and pwrite64 are the same function");

enum { WRITES = 1, SYNCS = 2, TRUNCATIONS = 4, SHORT = 8, CREATIONS = 16 };

/** The C library function with this name. */
#define REAL(name) \
  ({ \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    function; \
  })

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *rule_file;
static uint64_t state;
static unsigned long known_seed;

typedef struct {
  char path[PATH_MAX];
  int error, share, calls;
} Rule;

__attribute__((constructor)) static void start(void) { rule_file = getenv("FAILING_DISK_RULE"); }

/** xorshift64 */
static uint64_t next_random(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static int read_rule(Rule *rule) {
  FILE *file = fopen(rule_file, "r");
  if (!file) return 0;
  unsigned long seed = 0;
  int found = fscanf(file, "%4095s %d %d %d %lu", rule->path, &rule->error, &rule->share, &rule->calls, &seed) == 5;
  fclose(file);
  if (found && seed != known_seed) state = (known_seed = seed) * 2654435761u + 1;
  return found;
}

static int is_of(const Rule *rule, const char *path) {
  size_t length = strlen(rule->path);
  int is_folder = length > 0 && rule->path[length - 1] == '/';
  return is_folder ? !strncmp(path, rule->path, length) : !strcmp(path, rule->path);
}

/** Creates a file that records that a call of this kind has failed. */
static void remember(int call) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s.failed-%d", rule_file, call);
  int fd = creat(path, 0600);
  if (fd >= 0) close(fd);
}

/** Whether this call fails now. If so, sets errno; otherwise, leaves it unchanged. */
static int fails(const char *path, int call) {
  int before = errno, error = 0;
  Rule rule;
  pthread_mutex_lock(&mutex);
  if (read_rule(&rule) && rule.calls & call && is_of(&rule, path) && next_random() % 1000 < (uint64_t)rule.share)
    error = rule.error;
  if (error) remember(call);
  pthread_mutex_unlock(&mutex);
  errno = error ? error : before;
  return error != 0;
}

static int has_rule(void) {
  int before = errno, found = rule_file && !access(rule_file, F_OK);
  errno = before;
  return found;
}

static int fails_at(int fd, int call) {
  if (!has_rule()) return 0;
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  errno = before;
  // Pipes never fail: signal handlers write to them, perhaps while this thread reads the rule.
  return *path == '/' && fails(path, call);
}

/** The number of bytes to write. */
static size_t length_of(int fd, size_t bytes) { return bytes > 1 && fails_at(fd, SHORT) ? bytes / 2 : bytes; }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return flags & O_CREAT && has_rule() && fails(path, CREATIONS) ? -1 : REAL(open)(path, flags, mode);
}

ssize_t write(int fd, const void *bytes, size_t count) {
  return fails_at(fd, WRITES) ? -1 : REAL(write)(fd, bytes, length_of(fd, count));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fails_at(fd, WRITES) ? -1 : REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t from) {
  return fails_at(fd, WRITES) ? -1 : REAL(pwrite)(fd, bytes, length_of(fd, count), from);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t from) {
  return fails_at(fd, WRITES) ? -1 : REAL(pwritev)(fd, parts, count, from);
}

int ftruncate(int fd, off_t size) { return fails_at(fd, TRUNCATIONS) ? -1 : REAL(ftruncate)(fd, size); }

int fsync(int fd) { return fails_at(fd, SYNCS) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails_at(fd, SYNCS) ? -1 : REAL(fdatasync)(fd); }

#define SAME(name, as) __typeof__(as) name __attribute__((alias(#as)))
SAME(open64, open);
SAME(pwrite64, pwrite);
SAME(pwritev64, pwritev);
SAME(ftruncate64, ftruncate);
