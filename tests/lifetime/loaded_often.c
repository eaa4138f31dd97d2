/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* libclpool.so is opened and closed a thousand times, with threads that use it, and that end after it was
 * closed. It stays in the process from the first time on (-z nodelete), so that nothing of it can go from
 * under anybody; and its memory does not grow. Argument: the library. Exit codes: 0, 1. */
#define _GNU_SOURCE
#include <clpool/clpool.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { times = 1000, first_times = 100, most_growth_in_pages = 512 };

struct library {
  void* handle;
  __typeof__(&clpool_allocator_create_custom) allocator_create_custom;
  __typeof__(&clpool_allocator_release) allocator_release;
  __typeof__(&clpool_pool_create) pool_create;
  __typeof__(&clpool_pool_release) pool_release;
  __typeof__(&clpool_pool_allocate) pool_allocate;
  __typeof__(&clpool_mem_release) mem_release;
};

static void require(int is_right, const char* what) {
  if (!is_right) {
    fprintf(stderr, "%s\n", what);
    _Exit(1);
  }
}

static void* find(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  require(found != NULL, name);
  return found;
}

static struct library open_library(const char* path) {
  struct library library;
  library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library.handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    _Exit(1);
  }
  /* POSIX's own way around C's lack of a conversion from object to function pointers. */
  *(void**)&library.allocator_create_custom = find(library.handle, "clpool_allocator_create_custom");
  *(void**)&library.allocator_release = find(library.handle, "clpool_allocator_release");
  *(void**)&library.pool_create = find(library.handle, "clpool_pool_create");
  *(void**)&library.pool_release = find(library.handle, "clpool_pool_release");
  *(void**)&library.pool_allocate = find(library.handle, "clpool_pool_allocate");
  *(void**)&library.mem_release = find(library.handle, "clpool_mem_release");
  return library;
}

static atomic_llong chunks;

static clpool_status take(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  static atomic_ullong next = 1 << 20;
  (void)user;
  *chunk = (atomic_fetch_add(&next, size + alignment) + alignment - 1) / alignment * alignment;
  atomic_fetch_add(&chunks, 1);
  return CLPOOL_SUCCESS;
}

static void give_back(void* user, uint64_t chunk, uint64_t size) {
  (void)user;
  (void)chunk;
  (void)size;
  atomic_fetch_sub(&chunks, 1);
}

/* A thread that uses the pool, before and after the main thread closes the library. */
struct user {
  struct library library;
  clpool_pool* pool;
  pthread_barrier_t used;
  pthread_barrier_t closed;
};

static void use(const struct library* library, clpool_pool* pool) {
  clpool_mem* mem = NULL;
  require(library->pool_allocate(pool, 1000, &mem) == CLPOOL_SUCCESS, "allocate");
  require(library->mem_release(mem) == CLPOOL_SUCCESS, "release");
}

static void* run(void* argument) {
  struct user* const user = argument;
  use(&user->library, user->pool);
  pthread_barrier_wait(&user->used);
  pthread_barrier_wait(&user->closed);
  use(&user->library, user->pool); /* the pool is alive, and so is its code */
  require(user->library.pool_release(user->pool) == CLPOOL_SUCCESS, "release the pool");
  return NULL;
}

static void open_use_close(const char* path) {
  struct user user;
  user.library = open_library(path);
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = take;
  ops.deallocate = give_back;
  clpool_allocator* allocator = NULL;
  require(user.library.allocator_create_custom(&ops, NULL, &allocator) == CLPOOL_SUCCESS, "allocator");
  require(user.library.pool_create(allocator, NULL, &user.pool) == CLPOOL_SUCCESS, "pool");
  require(user.library.allocator_release(allocator) == CLPOOL_SUCCESS, "release the allocator");

  pthread_t
      thread; /* alone uses the pool: a thread-local object of this one would keep the library as well */
  pthread_barrier_init(&user.used, NULL, 2);
  pthread_barrier_init(&user.closed, NULL, 2);
  require(pthread_create(&thread, NULL, run, &user) == 0, "start a thread");
  pthread_barrier_wait(&user.used);
  require(dlclose(user.library.handle) == 0, "close the library");
  pthread_barrier_wait(&user.closed);
  require(pthread_join(thread, NULL) == 0, "end the thread");
  require(atomic_load(&chunks) == 0, "chunks were not given back");
  for (int i = 0; i < 2; ++i) { /* closing it once more would be the moment to unload it */
    void* const still = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
    require(still != NULL, "the library was unloaded");
    dlclose(still);
  }
}

static long resident_pages(void) {
  long all = 0;
  long resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  require(file != NULL && fscanf(file, "%ld %ld", &all, &resident) == 2, "read /proc/self/statm");
  fclose(file);
  return resident;
}

int main(int count, char** values) {
  require(count == 2, "usage: clpool_loaded_often LIBRARY");
  long before = 0;
  for (int i = 0; i < times; ++i) {
    open_use_close(values[1]);
    before = i == first_times ? resident_pages() : before;
  }
  const long growth = resident_pages() - before;
  printf("%d times; resident memory has grown by %ld pages since the first %d\n", times, growth, first_times);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which keep what was freed */
  require(growth <= most_growth_in_pages, "memory grows with each time");
#endif
  return 0;
}
