// Preloaded into the service, this library makes writes, syncs and truncations of the files below a folder fail, while a file
// says so (failing-disk.ts). A failed call has no effect. A short write has written what it says.
//
// FAILING_DISK_FOLDER is the data folder. FAILING_DISK_RULE is a file outside of it; while it exists, it has four numbers:
// the errno, how many of 1,000 calls fail, which calls (1 writes, 2 syncs, 4 truncations, 8 writes that are short), and a seed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "pwrite and pwrite64 are the same function");

enum { WRITES = 1, SYNCS = 2, TRUNCATIONS = 4, SHORT = 8 };

/** The function of the C library that has this name. */
#define REAL(name) \
  ({ \
    static __typeof__(&name) function; \
    if (!function) function = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    function; \
  })

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static const char *rule_file;
static uint64_t state;
static unsigned long known_seed;

typedef struct {
  int error, share, calls;
} Rule;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAILING_DISK_FOLDER");
  rule_file = getenv("FAILING_DISK_RULE");
  if (!path || !rule_file) return;
  if (!realpath(path, folder)) {
    perror(path);
    abort();
  }
}

static int is_below_folder(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  size_t prefix = strlen(folder);
  return prefix && length > (ssize_t)prefix && !strncmp(path, folder, prefix) && path[prefix] == '/';
}

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
  int found = fscanf(file, "%d %d %d %lu", &rule->error, &rule->share, &rule->calls, &seed) == 4;
  fclose(file);
  if (found && seed != known_seed) state = (known_seed = seed) * 2654435761u + 1;
  return found;
}

/** Leaves a file that says that a call of this kind has failed. */
static void remember(int call) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s.failed-%d", rule_file, call);
  int fd = creat(path, 0600);
  if (fd >= 0) close(fd);
}

/** The errno with which this call fails, or 0. */
static int failure_of(int fd, int call) {
  int before = errno, error = 0;
  Rule rule;
  if (rule_file && !access(rule_file, F_OK) && is_below_folder(fd)) {
    pthread_mutex_lock(&mutex);
    if (read_rule(&rule) && rule.calls & call && next_random() % 1000 < (uint64_t)rule.share) error = rule.error;
    if (error) remember(call);
    pthread_mutex_unlock(&mutex);
  }
  errno = before;
  return error;
}

#define FAIL_AS(call, result) \
  do { \
    int error = failure_of(fd, call); \
    if (error) { \
      errno = error; \
      return result; \
    } \
  } while (0)

/** How many of these bytes are written. */
static size_t length_of(int fd, size_t bytes) { return bytes > 1 && failure_of(fd, SHORT) ? bytes / 2 : bytes; }

ssize_t write(int fd, const void *bytes, size_t count) {
  FAIL_AS(WRITES, -1);
  return REAL(write)(fd, bytes, length_of(fd, count));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  FAIL_AS(WRITES, -1);
  return REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t from) {
  FAIL_AS(WRITES, -1);
  return REAL(pwrite)(fd, bytes, length_of(fd, count), from);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t from) {
  FAIL_AS(WRITES, -1);
  return REAL(pwritev)(fd, parts, count, from);
}

int fsync(int fd) {
  FAIL_AS(SYNCS, -1);
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  FAIL_AS(SYNCS, -1);
  return REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t size) {
  FAIL_AS(TRUNCATIONS, -1);
  return REAL(ftruncate)(fd, size);
}

#define SAME(name, as) __typeof__(as) name __attribute__((alias(#as)))
SAME(pwrite64, pwrite);
SAME(pwritev64, pwritev);
SAME(ftruncate64, ftruncate);
