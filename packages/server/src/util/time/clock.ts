import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** The only source of time and timers, so that tests can simulate time. Compare `now` with `wall` only to detect clock changes. */
export interface Clock {
  /** For durations and due times. Milliseconds since the epoch by the system clock at startup, and monotonic since. */
  now(): number
  /** For timestamps and the calendar. Milliseconds since the epoch by the system clock; jumps when it is set. */
  wall(): number
  /** Calls `task` once after `delayMs`. Returns an idempotent function that cancels it. */
  after(delayMs: number, task: () => void): () => void
  /** Resolves in the next turn of the event loop, after all pending work. */
  turn(): Promise<void>
}

/** `setTimeout` fires immediately for longer delays. */
const MAX_DELAY_MS = 2 ** 31 - 1

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const ORIGIN = 'hookline.clock.origin'

/** Shared by all threads; `performance.now` starts with its thread. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Offset of `now` from the monotonic clock. Threads inherit it, because times cross threads and the system clock may be set. */
function originOf(): number {
  const known = getEnvironmentData(ORIGIN)
  if (typeof known === 'number') return known
  const origin = Date.now() - monotonicMs()
  setEnvironmentData(ORIGIN, origin)
  return origin
}

const startedAt = originOf() + monotonicMs() - performance.now()

/** Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Math.floor(startedAt + performance.now()),
  wall: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)).unref()
    return () => clearTimeout(timer)
  },
  turn: nextTurn,
}

/** Smaller jumps of the system clock are ignored. */
export const MIN_JUMP_MS = 10_000

/** How far the system clock has been set forward since startup; negative if it was set back. */
export function jumpOf(clock: Pick<Clock, 'now' | 'wall'>): number {
  const jumpMs = clock.wall() - clock.now()
  return Math.abs(jumpMs) < MIN_JUMP_MS ? 0 : jumpMs
}

/** Converts a time of `now` to the system clock, for display. */
export function toWallClock(at: number, clock: Pick<Clock, 'now' | 'wall'>): number {
  return at + jumpOf(clock)
}
