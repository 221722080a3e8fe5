/** The source of time. The service reads the system's clock only through it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `task` once after `delayMs`. The returned function cancels it; calling that twice is safe. */
  after(delayMs: number, task: () => void): () => void
}

// The delay of setTimeout is a 32-bit number. With a longer one it fires at once (Node's documentation of timers).
const LONGEST_MS = 2 ** 31 - 1

/** The system's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), LONGEST_MS)).unref()
    return () => clearTimeout(timer)
  },
}
