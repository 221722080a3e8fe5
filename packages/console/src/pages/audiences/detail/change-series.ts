const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Above this, a point is a day. */
const MOST_HOURS = 7 * 24 + 1

export interface Changes {
  readonly from: string
  readonly data: readonly { readonly at: string; readonly entered: number; readonly left: number }[]
}

export interface ChangeSeries {
  readonly times: readonly number[]
  readonly entered: readonly number[]
  readonly left: readonly number[]
  /** How long a point is, in words. */
  readonly each: 'hour' | 'day'
}

/** Entered and left for each hour, or for each day (UTC) of a longer time, with those in which nothing changed. */
export function changeSeries({ from, data }: Changes, now: number): ChangeSeries {
  const isLong = now - Date.parse(from) > MOST_HOURS * HOUR_MS
  const step = isLong ? DAY_MS : HOUR_MS
  const first = Math.floor(Date.parse(from) / step)
  const last = Math.floor(now / step)
  const count = Math.max(1, last - first + 1)
  const entered = Array.from({ length: count }, () => 0)
  const left = [...entered]
  for (const hour of data) {
    const index = Math.min(count - 1, Math.max(0, Math.floor(Date.parse(hour.at) / step) - first))
    entered[index]! += hour.entered
    left[index]! += hour.left
  }
  const times = entered.map((_, index) => (first + index) * step)
  return { times, entered, left, each: isLong ? 'day' : 'hour' }
}
