import type { Config } from '../config.ts'

/** The number of threads of each kind. With 0, the main thread does the work. */
export interface ThreadCounts {
  readonly ingest: number
  readonly delivery: number
}

export interface Machine {
  /** Usable cores, by affinity and quotas (`availableParallelism`). */
  readonly cores: number
  /** Whether threads can share a port. */
  readonly hasReusePort: boolean
  readonly openFiles: number
}

/** The maximum numbers of threads with `auto`. One thread writes for all, so more threads would wait for it. */
const MAX_AUTO = { ingest: 4, delivery: 8 }

/** The minimum number of cores for threads. With fewer cores, main and the writer thread use all of them. */
const MIN_CORES = 3

/** With fewer files, connections forwarded to main, which take three files each, would use up too many. */
const MIN_FILES_FOR_INGEST_THREADS = 4_096

/**
 * The number of threads. `auto` grows with the cores:
 *
 * - 1 and 2 cores: none. Main and the writer use them; more threads only add the cost of messages, about a quarter of
 *   the cost of an event (`npm run bench -- cost-ratio`, with and without threads).
 * - 3 cores: one of each kind. They are rarely all busy at the same time, so each busy one has a core.
 * - From 4 cores: about twice as many for delivery as for ingestion, because delivering an event costs about twice as much as
 *   ingesting it. The remaining cores are for main and the writer.
 *
 * If fewer than 4,096 files may be open, `auto` starts no ingestion threads. Without `reusePort`, there is at most one.
 */
export function threadCounts(
  { ingestThreads, deliveryThreads }: Pick<Config, 'ingestThreads' | 'deliveryThreads'>,
  { cores, hasReusePort, openFiles }: Machine,
): ThreadCounts {
  const autoIngest =
    openFiles < MIN_FILES_FOR_INGEST_THREADS ? 0 : threadsForCores(cores, 4, MAX_AUTO.ingest)
  const ingest = ingestThreads === 'auto' ? autoIngest : ingestThreads
  return {
    ingest: hasReusePort ? ingest : Math.min(ingest, 1),
    delivery:
      deliveryThreads === 'auto' ? threadsForCores(cores, 2, MAX_AUTO.delivery) : deliveryThreads,
  }
}

function threadsForCores(cores: number, coresEach: number, max: number): number {
  return cores < MIN_CORES ? 0 : Math.min(Math.max(Math.floor(cores / coresEach), 1), max)
}
