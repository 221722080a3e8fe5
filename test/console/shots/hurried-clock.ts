import { type Clock, systemClock } from '../../../packages/server/src/util/time/clock.ts'

interface Hurry {
  /** How far in the past the clock begins. */
  readonly behindMs: number
  /** How many times faster than time it runs, until it shows the present. Then it runs as usual. */
  readonly speed: number
}

/**
 * Makes the service in this process live through hours in minutes, so that pictures show plots of hours: every wait and every
 * stamp follows the hurried clock. Returns how long that takes, and what ends it.
 */
export function hurryClock({ behindMs, speed }: Hurry): { readonly takesMs: number } & Disposable {
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
