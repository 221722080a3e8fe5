// This library is preloaded into the service, and maintains a second copy of the data folder with only synced data. To cut the
// power, a test kills the process and replaces the folder with the copy (forgetful-disk.ts).
//
// The model:
// - A write or a truncation of a file is copied when fsync or fdatasync of that file returns.
// - A new, removed or replaced name is copied when fsync of the folder returns. POSIX guarantees no more, although most file
//   systems do.
// - Any unsynced sectors may also have reached the disk, each with its last content. The test selects them.
//
// Not modelled: earlier content of unsynced sectors, the name of the data folder itself, modes and times of files, and disks
// that report a sync without performing it.
//
// Writes and syncs that this library does not intercept are missing from the copy, so they can only make tests fail, never
// pass.
//
// The folder POWER_CUT_FOLDER contains:
// - live: the data folder, without subfolders
// - synced/names: the inode and name of each file at the last sync of the folder
// - synced/content/<inode>: the synced content of a file
// - synced/pins/<inode>: a hard link to each file, so that its inode is not reused
// - ignore-syncs: while this file exists, fsync and fdatasync do nothing, as with `synchronous=OFF`
// - writes: the number of writes after which the process kills itself, if the file exists when it starts
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "open and open64 are the same function");

#define MAX_FILES 256
#define PATH_BYTES (PATH_MAX + NAME_MAX)
/** The C library's function of this name. */
#define REAL(name) \
  ({ \
    static __typeof__(&name) function; \
    if (!function) function = real(#name); \
    function; \
  })

typedef struct {
  off_t from, to;
} Range;

typedef struct {
  dev_t device;
  ino_t inode;
  int live;     // for reading; never closed, because that would release SQLite's locks
  int content;  // the synced copy
  Range *dirty; // written since the last sync
  size_t count, capacity;
} File;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static File files[MAX_FILES];
static size_t file_count;
static char live[PATH_MAX], synced[PATH_MAX], ignore[PATH_BYTES];
static struct stat folder;
static long writes_left = -1;

static void fail(const char *what) {
  fprintf(stderr, "forgetful disk: %s: %s\n", what, strerror(errno));
  abort();
}

static void *real(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) fail(name);
  return function;
}

static void path_of(char *path, const char *kind, ino_t inode) {
  snprintf(path, PATH_BYTES, "%s/%s/%llu", synced, kind, (unsigned long long)inode);
}

static void add_range(File *file, off_t from, off_t to) {
  if (from >= to) return;
  Range *last = file->count ? &file->dirty[file->count - 1] : NULL;
  if (last && from >= last->from && from <= last->to) {
    if (to > last->to) last->to = to;
    return;
  }
  if (file->count == file->capacity) {
    file->capacity = file->capacity ? file->capacity * 2 : 64;
    file->dirty = realloc(file->dirty, file->capacity * sizeof(Range));
    if (!file->dirty) fail("realloc");
  }
  file->dirty[file->count++] = (Range){from, to};
}

static void copy_range(File *file, off_t from, off_t to) {
  static char buffer[1 << 20];
  while (from < to) {
    size_t wanted = to - from < (off_t)sizeof buffer ? (size_t)(to - from) : sizeof buffer;
    ssize_t got = pread(file->live, buffer, wanted, from);
    if (got < 0) fail("pread");
    if (got == 0) return;
    if (REAL(pwrite)(file->content, buffer, got, from) != got) fail("pwrite");
    from += got;
  }
}

/** Copies the ranges written since the last sync. */
static void copy_dirty(File *file) {
  struct stat now;
  if (fstat(file->live, &now)) fail("fstat");
  if (REAL(ftruncate)(file->content, now.st_size)) fail("ftruncate");
  for (size_t i = 0; i < file->count; i++) {
    Range range = file->dirty[i];
    copy_range(file, range.from, range.to < now.st_size ? range.to : now.st_size);
  }
  file->count = 0;
}

/** Starts to track the file at a path, with no synced content. */
static File *follow(const struct stat *stat, const char *path) {
  if (file_count == MAX_FILES) fail("too many files");
  char pin[PATH_BYTES], content[PATH_BYTES];
  path_of(pin, "pins", stat->st_ino);
  path_of(content, "content", stat->st_ino);
  if (link(path, pin)) fail("link");
  File *file = &files[file_count++];
  file->device = stat->st_dev;
  file->inode = stat->st_ino;
  file->live = REAL(open)(pin, O_RDONLY | O_CLOEXEC);
  file->content = REAL(open)(content, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file->live < 0 || file->content < 0) fail(path);
  return file;
}

static File *find(const struct stat *stat) {
  for (size_t i = 0; i < file_count; i++)
    if (files[i].inode == stat->st_ino && files[i].device == stat->st_dev) return &files[i];
  return NULL;
}

/** The tracked file of a descriptor, if there is one. Requires the mutex. */
static File *file_of(int fd) {
  struct stat stat;
  if (!*synced || fstat(fd, &stat) || !S_ISREG(stat.st_mode)) return NULL;
  return find(&stat);
}

static int is_folder(int fd) {
  struct stat stat;
  return *synced && !fstat(fd, &stat) && stat.st_dev == folder.st_dev && stat.st_ino == folder.st_ino;
}

/** The path of an open file, if it is in the data folder. */
static int path_in_folder(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  size_t prefix = strlen(live);
  return !strncmp(path, live, prefix) && path[prefix] == '/' && !strchr(path + prefix + 1, '/');
}

/** Calls `each` for every file of the data folder. */
static void each_file(void (*each)(const char *, const struct stat *, void *), void *context) {
  DIR *open = opendir(live);
  if (!open) fail(live);
  struct stat stat;
  // Skips files removed in the meantime.
  for (struct dirent *entry; (entry = readdir(open));)
    if (!fstatat(dirfd(open), entry->d_name, &stat, 0) && S_ISREG(stat.st_mode)) each(entry->d_name, &stat, context);
  closedir(open);
}

static void print_name(const char *name, const struct stat *stat, void *names) {
  fprintf(names, "%llu %s\n", (unsigned long long)stat->st_ino, name);
}

/** Atomically copies the names in the data folder. */
static void copy_names(void) {
  char names[PATH_BYTES], next[PATH_BYTES + 8];
  snprintf(names, sizeof names, "%s/names", synced);
  snprintf(next, sizeof next, "%s.next", names);
  FILE *file = fopen(next, "w");
  if (!file) fail(next);
  each_file(print_name, file);
  if (fclose(file) || rename(next, names)) fail(names);
}

static void follow_synced(const char *name, const struct stat *stat, void *unused) {
  (void)unused;
  char path[PATH_BYTES + 8];
  snprintf(path, sizeof path, "%s/%s", live, name);
  File *file = follow(stat, path);
  add_range(file, 0, INT64_MAX);
  copy_dirty(file);
}

static void read_writes_left(const char *in) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/writes", in);
  FILE *file = fopen(path, "r");
  if (!file) return;
  if (fscanf(file, "%ld", &writes_left) != 1) fail(path);
  fclose(file);
}

/** At the start of the process, everything in the data folder counts as synced. */
__attribute__((constructor)) static void start(void) {
  const char *in = getenv("POWER_CUT_FOLDER");
  if (!in) return;
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "%s/live", in);
  if (!realpath(path, live) || stat(live, &folder)) fail(path);
  snprintf(path, sizeof path, "%s/synced", in);
  if (!realpath(path, synced)) fail(path);
  snprintf(ignore, sizeof ignore, "%s/ignore-syncs", in);
  read_writes_left(in);
  snprintf(path, sizeof path, "%s/pins", synced);
  if (mkdir(path, 0700)) fail(path);
  snprintf(path, sizeof path, "%s/content", synced);
  if (mkdir(path, 0700)) fail(path);
  each_file(follow_synced, NULL);
  copy_names();
}

static void opened(int fd, int flags) {
  if (fd < 0 || !*synced || (flags & O_ACCMODE) == O_RDONLY) return;
  int before = errno;
  char path[PATH_MAX];
  struct stat stat;
  pthread_mutex_lock(&mutex);
  if (!fstat(fd, &stat) && S_ISREG(stat.st_mode) && path_in_folder(fd, path)) {
    File *file = find(&stat);
    if (!file) file = follow(&stat, path);
    if (flags & O_TRUNC) add_range(file, 0, INT64_MAX);
  }
  pthread_mutex_unlock(&mutex);
  errno = before;
}

/** Records a written range. */
static void wrote(int fd, off_t from, off_t to) {
  int before = errno;
  pthread_mutex_lock(&mutex);
  File *file = file_of(fd);
  if (file) {
    add_range(file, from, to);
    if (--writes_left == 0) kill(getpid(), SIGKILL);
  }
  pthread_mutex_unlock(&mutex);
  errno = before;
}

/** Records bytes written at the position of the descriptor. Most descriptors are sockets, which have no position. */
static ssize_t wrote_here(int fd, ssize_t bytes) {
  int before = errno;
  off_t to = bytes > 0 && *synced ? lseek(fd, 0, SEEK_CUR) : -1;
  errno = before;
  if (to >= 0) wrote(fd, to - bytes, to);
  return bytes;
}

static ssize_t wrote_at(int fd, off_t from, ssize_t bytes) {
  if (bytes > 0) wrote(fd, from, from + bytes);
  return bytes;
}

static int sync_with(int (*sync)(int), int fd) {
  pthread_mutex_lock(&mutex);
  int is_followed = file_of(fd) || is_folder(fd);
  pthread_mutex_unlock(&mutex);
  if (is_followed && !access(ignore, F_OK)) return 0;
  int result = sync(fd);
  if (result || !is_followed) return result;
  pthread_mutex_lock(&mutex);
  if (is_folder(fd)) copy_names();
  else copy_dirty(file_of(fd));
  pthread_mutex_unlock(&mutex);
  return 0;
}

int fsync(int fd) { return sync_with(REAL(fsync), fd); }

int fdatasync(int fd) { return sync_with(REAL(fdatasync), fd); }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int fd = REAL(open)(path, flags, flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0);
  va_end(rest);
  opened(fd, flags);
  return fd;
}

int openat(int at, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int fd = REAL(openat)(at, path, flags, flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0);
  va_end(rest);
  opened(fd, flags);
  return fd;
}

ssize_t write(int fd, const void *bytes, size_t count) { return wrote_here(fd, REAL(write)(fd, bytes, count)); }

ssize_t writev(int fd, const struct iovec *parts, int count) { return wrote_here(fd, REAL(writev)(fd, parts, count)); }

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t from) {
  return wrote_at(fd, from, REAL(pwrite)(fd, bytes, count, from));
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t from) {
  return wrote_at(fd, from, REAL(pwritev)(fd, parts, count, from));
}

int ftruncate(int fd, off_t size) {
  struct stat before;
  off_t old = fstat(fd, &before) ? 0 : before.st_size;
  int result = REAL(ftruncate)(fd, size);
  if (!result) wrote(fd, old < size ? old : size, old < size ? size : old);
  return result;
}

/** Permits shared writable mappings only for the index of the write-ahead log, which SQLite rebuilds after a power cut. */
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t from) {
  char path[PATH_MAX];
  int is_shared = (flags & MAP_TYPE) != MAP_PRIVATE && protection & PROT_WRITE && fd >= 0;
  if (is_shared && *synced && path_in_folder(fd, path)) {
    size_t length_of_path = strlen(path);
    if (length_of_path < 4 || strcmp(path + length_of_path - 4, "-shm")) fail("a file is written through memory");
  }
  return REAL(mmap)(address, length, protection, flags, fd, from);
}

#define SAME(name, as) __typeof__(as) name __attribute__((alias(#as)))
SAME(open64, open);
SAME(openat64, openat);
SAME(pwrite64, pwrite);
SAME(pwritev64, pwritev);
SAME(ftruncate64, ftruncate);
SAME(mmap64, mmap);
