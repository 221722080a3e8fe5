/** Where the client's time comes from, so that a test need not wait for it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Calls `task` once after `delayMs`. The returned function cancels it; calling that twice is safe.
   * A timer does not keep the process alive unless `keepsAlive` says so.
   */
  after(delayMs: number, task: () => void, keepsAlive?: boolean): () => void
}

// Timers take 32 bits everywhere; a longer wait would fire at once.
const LONGEST_MS = 2 ** 31 - 1

/** The clock of the platform. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task, keepsAlive = false) {
    const timer: unknown = setTimeout(task, Math.min(delayMs, LONGEST_MS))
    if (!keepsAlive) letExit(timer)
    return () => clearTimeout(timer as number)
  },
}

/** Node and Bun give an object for a timer, Deno may give a number, browsers and Workers have no such thing. */
function letExit(timer: unknown): void {
  const { Deno } = globalThis as { Deno?: { unrefTimer?: (timer: unknown) => void } }
  if (typeof timer === 'number') Deno?.unrefTimer?.(timer)
  else (timer as { unref?: () => void }).unref?.()
}
