/* With --races=explore memory is freed in a step that conflicts with every access to it.
expect with --races=explore: VERIFIED no error in any schedule
expect with --races=explore -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --verify -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=dfs -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=icb -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=dpor -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=optimal -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=cb-por -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=random -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=pct -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=fair -- free: ERROR memory: write of 4 bytes after free
expect with --races=explore -- free late: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=optimal -- free late: ERROR memory: write of 4 bytes after free
expect with --races=explore -- free copies: ERROR memory: write of 40 bytes after free
expect with --races=explore -- free adds: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=optimal -- free adds: ERROR memory: write of 4 bytes after free
expect with --races=explore -- free locks: ERROR memory: write of 1 bytes after free
expect with --races=explore --explore=optimal -- free locks: ERROR memory: write of 1 bytes after free
expect with --races=explore -- free posts: ERROR memory: write of 1 bytes after free
expect with -- free posts: ERROR (memory|race)
expect with -- free signals: ERROR (memory|race)
expect with --races=explore -- realloc: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=optimal -- realloc: ERROR memory: write of 4 bytes after free
expect with --races=explore -- munmap: ERROR crash: segmentation fault
expect with --races=explore --explore=optimal -- munmap: ERROR crash: segmentation fault
expect with --races=explore -- munmap adds: ERROR crash: segmentation fault
expect with --races=explore -- munmap locks: ERROR crash: segmentation fault
expect with --races=explore -- protect: ERROR crash: segmentation fault
expect with --races=explore -- free twice: ERROR memory: freeing a block that was already freed
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
struct block {
    int number;
    atomic_int atom;
    pthread_mutex_t mutex;
    sem_t semaphore;
    pthread_cond_t condition;
    int more[64];
};
static struct block *block;
static int ready;
static const char *how = "none", *access_by = "";
static int is(const char *word) { return !strcmp(how, word); }
static int by(const char *word) { return !strcmp(access_by, word); }
static void *worker(void *a)
{
    static int zeros[10];
    if (by("late") && ready) return a;
    if (by("copies")) memcpy(block->more, zeros, sizeof zeros);
    else if (by("adds")) atomic_fetch_add(&block->atom, 1);
    else if (by("locks")) pthread_mutex_lock(&block->mutex), pthread_mutex_unlock(&block->mutex);
    else if (by("posts")) sem_post(&block->semaphore);
    else if (by("signals")) pthread_cond_signal(&block->condition);
    else if (by("twice")) free(block);
    else block->number = 1;
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) how = argv[1];
    if (argc > 2) access_by = argv[2];
    block = is("munmap") || is("protect")
                ? mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                : malloc(sizeof *block);
    memset(block, 0, sizeof *block);
    sem_init(&block->semaphore, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    ready = 1;
    if (is("free")) free(block);
    if (is("realloc") && !realloc(block, 2 * sizeof *block)) return 1;
    if (is("munmap")) munmap(block, sizeof *block);
    if (is("protect")) mprotect(block, sizeof *block, PROT_NONE);
    pthread_join(t, NULL);
    if (is("none")) free(block);
    return 0;
}
