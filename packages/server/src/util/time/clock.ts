import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/**
 * The source of time. The service reads the system's clock only through it. Whatever a delivery waits for is a timer or a
 * turn of a clock, so that a simulated clock controls all of it.
 *
 * `now` and `wall` agree until somebody sets the clock of the machine. So never subtract one from the other, except to
 * find out that it was set.
 */
export interface Clock {
  /**
   * For durations: waits, windows, limits, and times at which something is due. Milliseconds since the epoch as the
   * system's clock showed them when the process started, plus the time that has passed since. It never jumps.
   */
  now(): number
  /**
   * For stamps that people, clients and receivers read, and for what follows the calendar: milliseconds since the epoch, as
   * the system's clock shows them. It jumps when the clock of the machine is set.
   */
  wall(): number
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

const ORIGIN = 'hookline.clock.origin'

/** The monotonic clock of the machine, which all threads share. `performance.now` begins with its thread. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * What the monotonic clock is behind `now`. The first thread finds it out, and the threads that it starts get it: the
 * system's clock may be set before they start, and times cross threads.
 */
function originOf(): number {
  const known = getEnvironmentData(ORIGIN)
  if (typeof known === 'number') return known
  const origin = Date.now() - monotonicMs()
  setEnvironmentData(ORIGIN, origin)
  return origin
}

const startedAt = originOf() + monotonicMs() - performance.now()

/** The system's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Math.floor(startedAt + performance.now()),
  wall: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), LONGEST_MS)).unref()
    return () => clearTimeout(timer)
  },
  turn,
}

/** A jump of the system's clock that is smaller than this changes nothing that people read. */
export const LEAST_JUMP_MS = 10_000

/** How far the system's clock was set forward since the process started; negative for back. */
export function jumpOf(clock: Pick<Clock, 'now' | 'wall'>): number {
  const jumpMs = clock.wall() - clock.now()
  return Math.abs(jumpMs) < LEAST_JUMP_MS ? 0 : jumpMs
}

/** What the system's clock shows at `at`, which is a time of `now`: the times of waits, as people read them. */
export function shownAt(at: number, clock: Pick<Clock, 'now' | 'wall'>): number {
  return at + jumpOf(clock)
}
