/** One thread writes for all: beyond so many, more threads would wait for it. */
const MOST_AUTO = 8

/**
 * How many threads have the lanes of deliveries. With 0, the main thread has them. `auto` grows with the cores:
 *
 * - 1 core: none. Threads that share one core only add the cost of the messages between them.
 * - 2 and 3 cores: one. With the writer and main they are more threads than cores, and that is right: they are not full at
 *   the same time, so whichever part has the load gets the cores.
 * - From 4 cores: one for every two. The rest is for main, which accepts and decides, and for the writer.
 */
export function deliveryThreadsFor(setting: number | 'auto', cores: number): number {
  if (setting !== 'auto') return setting
  return cores <= 1 ? 0 : Math.min(Math.max(Math.floor(cores / 2), 1), MOST_AUTO)
}
