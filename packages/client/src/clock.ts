/** The client's source of time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Calls `task` once after `delayMs`. The returned function cancels it and may be called twice.
   * The timer keeps the process alive only if `keepsAlive` is true.
   */
  after(delayMs: number, task: () => void, keepsAlive?: boolean): () => void
}

// On every platform, timers take a signed 32-bit number and fire immediately if it overflows.
const MAX_DELAY_MS = 2 ** 31 - 1

/** The platform's clock and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task, keepsAlive = false) {
    const timer: unknown = setTimeout(task, Math.min(delayMs, MAX_DELAY_MS))
    if (!keepsAlive) unrefTimer(timer)
    return () => clearTimeout(timer as number)
  },
}

/** A timer is an object in Node and Bun and may be a number in Deno. Browsers and Workers need nothing. */
function unrefTimer(timer: unknown): void {
  const { Deno } = globalThis as { Deno?: { unrefTimer?: (timer: unknown) => void } }
  if (typeof timer === 'number') Deno?.unrefTimer?.(timer)
  else (timer as { unref?: () => void }).unref?.()
}
