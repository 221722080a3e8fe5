#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

/* Simulates a system on which SO_REUSEPORT does not distribute connections, such as macOS and Windows. Loaded with LD_PRELOAD. */
int setsockopt(int socket, int level, int option, const void *value, socklen_t length) {
  static int (*real)(int, int, int, const void *, socklen_t);
  if (!real) real = dlsym(RTLD_NEXT, "setsockopt");
  if (level == SOL_SOCKET && option == SO_REUSEPORT) {
    errno = ENOPROTOOPT;
    return -1;
  }
  return real(socket, level, option, value, length);
}
