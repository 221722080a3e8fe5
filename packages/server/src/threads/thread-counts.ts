import type { Config } from '../config.ts'

/** How many threads there are of each kind. With 0, the main thread does the work. */
export interface ThreadCounts {
  readonly ingest: number
  readonly delivery: number
}

/** What the number of threads depends on besides the settings. */
export interface Machine {
  /** Cores that this process may use: `availableParallelism` of `node:os`, which knows affinity and quotas. */
  readonly cores: number
  /** Whether several threads can listen on one port. */
  readonly hasReusePort: boolean
  /** How many files the process may open. */
  readonly openFiles: number
}

/** One thread writes for all: beyond these, more threads would wait for it. */
const MOST_AUTO = { ingest: 4, delivery: 8 }

/** Main and the writer fill fewer cores than these by themselves. */
const LEAST_CORES = 3

/** A connection that a thread passes on to main takes three files. With fewer files, main would have too few connections. */
const LEAST_FILES_OF_INGEST = 4_096

/**
 * How many threads the service starts. `auto` grows with the cores:
 *
 * - 1 and 2 cores: none. Main and the writer fill two cores already. More threads would only add the cost of the messages
 *   between them: about a quarter of what an event costs (`npm run bench -- cost-ratio` with and without).
 * - 3 cores: one of each kind. With the writer and main they are more threads than cores, and that is right: they are not
 *   full at the same time, so whichever part has the load gets the cores.
 * - From 4 cores: twice as many for delivery as for ingestion, because an event costs twice as much there (it is signed,
 *   sent, and its response read), and has often several webhooks. The rest is for main, which decides, and for the writer.
 *
 * With fewer than 4,096 open files, `auto` starts no ingest threads. Without `reusePort` a port has one listener, so there is at most one ingest thread, whatever the setting says.
 */
export function threadCounts(
  { ingestThreads, deliveryThreads }: Pick<Config, 'ingestThreads' | 'deliveryThreads'>,
  { cores, hasReusePort, openFiles }: Machine,
): ThreadCounts {
  const autoIngest = openFiles < LEAST_FILES_OF_INGEST ? 0 : grown(cores, 4, MOST_AUTO.ingest)
  const ingest = ingestThreads === 'auto' ? autoIngest : ingestThreads
  return {
    ingest: hasReusePort ? ingest : Math.min(ingest, 1),
    delivery: deliveryThreads === 'auto' ? grown(cores, 2, MOST_AUTO.delivery) : deliveryThreads,
  }
}

function grown(cores: number, coresEach: number, most: number): number {
  return cores < LEAST_CORES ? 0 : Math.min(Math.max(Math.floor(cores / coresEach), 1), most)
}
