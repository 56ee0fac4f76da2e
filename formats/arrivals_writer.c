#include "formats/arrivals_writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/arrivals_encode.h"
#include "formats/arrivals_tables.h"
#include "formats/base/bytes.h"
#include "formats/base/memory.h"
#include "formats/frame_writer.h"

enum {
    BLOCKS = 8,
    BLOCK_BYTES = 512 * 1024,
    BLOCK_AGE_MAX_NS = NS_PER_S,
};

/* Records on their way to one frame. An empty block tells the thread to stop. */
struct block {
    uint8_t *bytes;    /* owned, BLOCK_BYTES */
    /* owned; instead of bytes, for one record that is larger than a block */
    uint8_t *oversize;
    size_t len;
    uint64_t requests;
    uint64_t events;
};

/* Blocks go round in a ring. The caller fills blocks[filling], the thread writes
 * blocks[writing]; the two semaphores count what each may take, and order the memory
 * between them. */
struct arrivals_writer {
    /* the caller's */
    struct arrivals_encoder encoder;
    struct block *open; /* NULL: none taken yet */
    int64_t opened_ns;
    size_t filling;
    uint64_t requests;
    uint64_t events;
    uint64_t waited_ns;

    sem_t empty;
    sem_t full;
    struct block blocks[BLOCKS];
    pthread_t thread;

    /* the thread's, until it is joined */
    size_t writing;
    struct frame_writer frames;
    struct fault fault;
    uint64_t kept_requests;
    atomic_int status;
};

static void semaphore_wait(sem_t *semaphore)
{
    while (sem_wait(semaphore) && errno == EINTR)
        continue;
}

/* ---- the thread ---- */

static void block_write(struct arrivals_writer *writer, struct block *block)
{
    if (atomic_load_explicit(&writer->status, memory_order_relaxed) != STATUS_OK)
        return;
    const uint8_t *content = block->oversize ? block->oversize : block->bytes;
    int status =
        frame_writer_append(&writer->frames, content, block->len, block->requests,
                            block->events, &writer->fault);
    if (status)
        atomic_store_explicit(&writer->status, status, memory_order_relaxed);
    else
        writer->kept_requests += block->requests;
}

static void block_clear(struct block *block)
{
    free(block->oversize);
    block->oversize = NULL;
    block->len = 0;
    block->requests = 0;
    block->events = 0;
}

static void *write_blocks(void *context)
{
    struct arrivals_writer *writer = context;
    for (;;) {
        semaphore_wait(&writer->full);
        struct block *block = &writer->blocks[writer->writing];
        if (block->len == 0)
            return NULL;
        block_write(writer, block);
        block_clear(block);
        writer->writing = (writer->writing + 1) % BLOCKS;
        sem_post(&writer->empty);
    }
}

/* Signals are the caller's: its handlers must not run here. */
static int start_thread(struct arrivals_writer *writer, struct fault *fault)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&writer->thread, NULL, write_blocks, writer);
    int status = errno
        ? fault_set_errno(fault, "%s: no thread to write with", writer->frames.path)
                       : STATUS_OK;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* ---- the caller ---- */

/* The block that is being filled; waits for one when the disk is behind. */
static struct block *open_block(struct arrivals_writer *writer)
{
    if (writer->open)
        return writer->open;
    if (sem_trywait(&writer->empty)) {
        int64_t from_ns = clock_monotonic_ns();
        semaphore_wait(&writer->empty);
        writer->waited_ns += (uint64_t)(clock_monotonic_ns() - from_ns);
    }
    writer->open = &writer->blocks[writer->filling];
    writer->opened_ns = clock_monotonic_ns();
    return writer->open;
}

static void hand_over(struct arrivals_writer *writer)
{
    writer->open = NULL;
    writer->filling = (writer->filling + 1) % BLOCKS;
    sem_post(&writer->full);
}

static void put_oversize(struct arrivals_writer *writer, struct byte_span record)
{
    struct block *block = open_block(writer);
    block->oversize = memory_new(record.len, 1);
    memcpy(block->oversize, record.at, record.len);
    block->len = record.len;
}

/* Adds one whole record to a block that has room for it, and returns the block. */
static struct block *put(struct arrivals_writer *writer, struct byte_span record)
{
    struct block *block = open_block(writer);
    if (block->len > 0 && record.len > BLOCK_BYTES - block->len) {
        hand_over(writer);
        block = open_block(writer);
    }
    if (record.len > BLOCK_BYTES) {
        put_oversize(writer, record);
        return block;
    }
    memcpy(block->bytes + block->len, record.at, record.len);
    block->len += record.len;
    return block;
}

void arrivals_writer_request(struct arrivals_writer *writer,
                             const struct arrival_request *request)
{
    size_t events;
    struct byte_span record = arrivals_encode_request(&writer->encoder, request, &events);
    struct block *block = put(writer, record);
    block->requests++;
    block->events += events;
    writer->requests++;
    writer->events += events;
    if (block->oversize)
        hand_over(writer);
}

void arrivals_writer_loop(struct arrivals_writer *writer,
                          const struct loop_record *record)
{
    put(writer, arrivals_encode_loop(&writer->encoder, record));
}

void arrivals_writer_clock(struct arrivals_writer *writer,
                           const struct clock_record *record)
{
    put(writer, arrivals_encode_clock(&writer->encoder, record));
}

void arrivals_writer_tick(struct arrivals_writer *writer, int64_t now_monotonic_ns)
{
    if (writer->open && writer->open->len > 0
        && now_monotonic_ns - writer->opened_ns >= BLOCK_AGE_MAX_NS)
        hand_over(writer);
}

int arrivals_writer_status(const struct arrivals_writer *writer)
{
    return atomic_load_explicit(&writer->status, memory_order_relaxed);
}

uint64_t arrivals_writer_waited_ns(const struct arrivals_writer *writer)
{
    return writer->waited_ns;
}

static int write_header(struct arrivals_writer *writer,
                        const struct arrivals_header *header, struct fault *fault)
{
    struct byte_span record = arrivals_encode_header(&writer->encoder, header);
    struct block *block = &writer->blocks[0];
    memcpy(block->bytes, ARRIVALS_MAGIC, ARRIVALS_MAGIC_BYTES);
    store_le16(block->bytes + ARRIVALS_MAGIC_BYTES, ARRIVALS_MAJOR);
    store_le16(block->bytes + ARRIVALS_MAGIC_BYTES + 2, ARRIVALS_MINOR);
    memcpy(block->bytes + ARRIVALS_PREAMBLE_BYTES, record.at, record.len);
    return frame_writer_append(&writer->frames, block->bytes,
                               ARRIVALS_PREAMBLE_BYTES + record.len, 0, 0, fault);
}

static void release(struct arrivals_writer *writer)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        free(writer->blocks[i].bytes);
        free(writer->blocks[i].oversize);
    }
    frame_writer_release(&writer->frames);
    arrivals_encoder_release(&writer->encoder);
    sem_destroy(&writer->empty);
    sem_destroy(&writer->full);
    free(writer);
}

static void take_memory(struct arrivals_writer *writer)
{
    arrivals_encoder_init(&writer->encoder);
    for (size_t i = 0; i < BLOCKS; i++) {
        writer->blocks[i].bytes = memory_new(BLOCK_BYTES, 1);
        /* Touched now, so that the loop does not pay for the page faults. */
        memset(writer->blocks[i].bytes, 0xff, BLOCK_BYTES);
    }
}

int arrivals_writer_open(struct arrivals_writer **writer, const char *path,
                         const struct arrivals_header *header, struct fault *fault)
{
    struct frame_writer frames;
    int status = frame_writer_open(&frames, path, BLOCK_BYTES, fault);
    if (status)
        return status;
    struct arrivals_writer *new_writer = memory_new(1, sizeof *new_writer);
    new_writer->frames = frames;
    take_memory(new_writer);
    sem_init(&new_writer->empty, 0, BLOCKS);
    sem_init(&new_writer->full, 0, 0);
    status = write_header(new_writer, header, fault);
    if (!status)
        status = start_thread(new_writer, fault);
    if (status) {
        unlink(path);
        release(new_writer);
        return status;
    }
    *writer = new_writer;
    return STATUS_OK;
}

/* Lets the thread write what it was given, and ends it. */
static void stop_thread(struct arrivals_writer *writer)
{
    block_clear(open_block(writer));
    hand_over(writer);
    pthread_join(writer->thread, NULL);
}

static int finish(struct arrivals_writer *writer, struct fault *fault)
{
    struct fault second = { 0 }; /* of the sync, when something failed before */
    int status = arrivals_writer_status(writer);
    if (!status)
        status = frame_writer_finish(&writer->frames, &writer->fault);
    int synced = frame_writer_sync(&writer->frames, status ? &second : &writer->fault);
    if (!status)
        status = synced;
    if (!status)
        return STATUS_OK;
    return fault_set(fault, status, "%s; %llu of %llu requests are in the log",
                     writer->fault.text, (unsigned long long)writer->kept_requests,
                     (unsigned long long)writer->requests);
}

int arrivals_writer_close(struct arrivals_writer *writer, const struct end_record *end,
                          struct fault *fault)
{
    struct end_record counted = *end;
    counted.requests = writer->requests;
    counted.events = writer->events;
    put(writer, arrivals_encode_end(&writer->encoder, &counted));
    hand_over(writer);
    stop_thread(writer);
    int status = finish(writer, fault);
    release(writer);
    return status;
}

void arrivals_writer_abandon(struct arrivals_writer *writer)
{
    if (!writer)
        return;
    stop_thread(writer);
    release(writer);
}
