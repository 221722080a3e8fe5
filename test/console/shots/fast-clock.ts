import { type Clock, systemClock } from '../../../packages/server/src/util/time/clock.ts'

interface SpeedUp {
  /** How far in the past the clock starts. */
  readonly behindMs: number
  /** How many times faster than real time it runs, until it has caught up. */
  readonly speed: number
}

/**
 * Speeds up the clock of the service in this process, so that screenshots show plots of hours after a few minutes. Timers and
 * timestamps both follow it. Returns how long it takes to catch up; dispose of the result to restore the clock.
 */
export function speedUpClock({
  behindMs,
  speed,
}: SpeedUp): { readonly takesMs: number } & Disposable {
  const usual: Clock = { ...systemClock }
  const startedAt = usual.now()
  const takesMs = behindMs / (speed - 1)
  const shown = (at: number): number =>
    Math.floor(Math.min(at, startedAt - behindMs + (at - startedAt) * speed))
  const realOf = (target: number): number =>
    Math.max(target, startedAt) > startedAt + takesMs
      ? target
      : startedAt + (target - startedAt + behindMs) / speed
  Object.assign(systemClock, {
    now: () => shown(usual.now()),
    wall: () => shown(usual.now()),
    after: (delayMs: number, task: () => void) =>
      usual.after(realOf(shown(usual.now()) + delayMs) - usual.now(), task),
  } satisfies Partial<Clock>)
  return {
    takesMs,
    [Symbol.dispose]: () => {
      Object.assign(systemClock, usual)
    },
  }
}
