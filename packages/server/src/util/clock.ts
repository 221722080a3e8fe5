/**
 * The source of time. The service reads the system's clock only through it. Whatever a delivery waits for is a timer or a
 * turn of a clock, so that a simulated clock controls all of it.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `task` once after `delayMs`. The returned function cancels it; calling that twice is safe. */
  after(delayMs: number, task: () => void): () => void
  /** Resolves in the next turn of the event loop, after all work that is already waiting. */
  turn(): Promise<void>
}

// The delay of setTimeout is a 32-bit number. With a longer one it fires at once (Node's documentation of timers).
const LONGEST_MS = 2 ** 31 - 1

/** Resolves in the next turn of the event loop, after all work that is already waiting. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** The system's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), LONGEST_MS)).unref()
    return () => clearTimeout(timer)
  },
  turn,
}
