/* A parallel compressor: a producer fills a queue, a consumer empties it, and main frees the queue.
 * Bug: main waits for the output and not for the consumer. It frees the queue's lock while the consumer still needs
 * it for a last look at the queue.
 * Row: CB/pbzip2-0.9.4
 * Expect: crash memory */
#include "threads.h"

enum { BLOCKS = 2 };

struct queue {
    pthread_mutex_t lock;
    int blocks, all_produced;
};

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t output_grew = PTHREAD_COND_INITIALIZER;
static struct queue *queue;
static int written;

static void *produce(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&queue->lock);
        queue->blocks++;
        queue->all_produced = i + 1 == BLOCKS;
        pthread_mutex_unlock(&queue->lock);
    }
    return unused;
}

static void write_block(void)
{
    pthread_mutex_lock(&output_lock);
    written++;
    pthread_cond_signal(&output_grew);
    pthread_mutex_unlock(&output_lock);
}

static void *consume(void *unused)
{
    for (int taken = 0;;) {
        pthread_mutex_lock(&queue->lock);
        int found = queue->blocks > 0, finished = queue->all_produced && !found;
        queue->blocks -= found;
        pthread_mutex_unlock(&queue->lock);
        if (finished || (!found && taken == BLOCKS)) return unused;
        if (found) write_block(), taken++;
        else sched_yield();
    }
}

int main(void)
{
    pthread_t producer, consumer;
    queue = calloc(1, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_mutex_lock(&output_lock);
    while (written < BLOCKS) pthread_cond_wait(&output_grew, &output_lock);
    pthread_mutex_unlock(&output_lock);
    free(queue);
    queue = NULL;
    pthread_join(consumer, NULL);
}
