import { parseTimeSpan, type PresentedLimits } from '@hookline/protocol'

/** The service's retry settings, or a webhook's. */
export interface RetrySchedule {
  readonly windowMs: number
  /** Custom delays after the first, second, … attempt. The last one repeats. */
  readonly delaysMs: readonly number[]
}

interface Setting {
  readonly name: string
  readonly value: string | null
}

const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 30 * 60_000
const MAX_LAST_SPAN_MS = 60_000
export const MAX_RETRIES = 100

/** The schedule of a webhook with these limits; `undefined` if the window in the settings is invalid. */
export function scheduleOf(
  settings: readonly Setting[],
  limits: PresentedLimits = {},
): RetrySchedule | undefined {
  const valueOf = (name: string): string => settings.find((each) => each.name === name)?.value ?? ''
  const windowMs = parseTimeSpan(limits.retryWindow ?? valueOf('retryWindow'))
  if (windowMs === undefined) return undefined
  const delays = limits.retrySchedule ?? valueOf('retrySchedule').split(',')
  return { windowMs, delaysMs: delays.flatMap((each) => parseTimeSpan(each.trim()) ?? []) }
}

/**
 * The retries of a delivery due at `start` whose attempts fail immediately, without jitter: up to `MAX_RETRIES`, then the
 * last one, in the last minute of the window.
 */
export function retryTimes({ windowMs, delaysMs }: RetrySchedule, start: number): number[] {
  if (windowMs === 0) return []
  const lastSpanMs = Math.min(MAX_LAST_SPAN_MS, windowMs / 10)
  const last = start + windowMs - lastSpanMs
  const times: number[] = []
  for (let at = start; ;) {
    const number = times.length + 1
    const defaultDelay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 3 ** (number - 1))
    at += delaysMs.length > 0 ? delaysMs[Math.min(number, delaysMs.length) - 1]! : defaultDelay
    if (at >= last || times.length === MAX_RETRIES)
      return [...times, Math.round(last + lastSpanMs / 2)]
    times.push(at)
  }
}
