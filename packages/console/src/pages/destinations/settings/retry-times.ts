import { parseTimeSpan } from '@hookline/protocol'

/** When failed attempts are made again, as the settings of the service say. */
export interface RetrySchedule {
  /** How long a delivery is tried. */
  readonly windowMs: number
  /** The waits after the first, second, … attempt, in place of the usual ones. The last one repeats. */
  readonly delaysMs: readonly number[]
}

interface Setting {
  readonly name: string
  readonly value: string | null
}

const FIRST_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 30 * 60_000
const LONGEST_LAST_SPAN_MS = 60_000
/** More retries than this are counted, not listed. */
const MOST = 100

/** The schedule that the settings name; `undefined` where the window cannot be read. */
export function scheduleOf(settings: readonly Setting[]): RetrySchedule | undefined {
  const valueOf = (name: string): string => settings.find((each) => each.name === name)?.value ?? ''
  const windowMs = parseTimeSpan(valueOf('retryWindow'))
  if (windowMs === undefined) return undefined
  const delays = valueOf('retrySchedule')
    .split(',')
    .map((each) => parseTimeSpan(each.trim()))
  return { windowMs, delaysMs: delays.filter((each) => each !== undefined) }
}

/**
 * When a delivery that is due at `start` is tried again if every attempt fails at once, without the chance that spreads
 * retries by a quarter. The last attempt falls into the last minute of the window.
 */
export function retryTimes({ windowMs, delaysMs }: RetrySchedule, start: number): number[] {
  const lastSpanMs = Math.min(LONGEST_LAST_SPAN_MS, windowMs / 10)
  const last = start + windowMs - lastSpanMs
  const times: number[] = []
  for (let at = start; times.length < MOST;) {
    const number = times.length + 1
    const usual = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 3 ** (number - 1))
    at += delaysMs.length > 0 ? delaysMs[Math.min(number, delaysMs.length) - 1]! : usual
    if (at >= last) return [...times, Math.round(last + lastSpanMs / 2)]
    times.push(at)
  }
  return times
}
