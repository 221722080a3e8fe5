const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** Longer ranges are shown by day. */
const MAX_HOURS = 7 * 24 + 1

export interface Changes {
  readonly from: string
  readonly data: readonly { readonly at: string; readonly entered: number; readonly left: number }[]
}

interface ChangeSeries {
  readonly times: readonly number[]
  readonly entered: readonly number[]
  readonly left: readonly number[]
  readonly step: 'hour' | 'day'
}

/** Users who entered and left per hour, or per day (UTC) for long ranges, including steps without changes. */
export function changeSeries({ from, data }: Changes, now: number): ChangeSeries {
  const isLong = now - Date.parse(from) > MAX_HOURS * HOUR_MS
  const ms = isLong ? DAY_MS : HOUR_MS
  const first = Math.floor(Date.parse(from) / ms)
  const count = Math.max(1, Math.floor(now / ms) - first + 1)
  const entered = Array.from({ length: count }, () => 0)
  const left = [...entered]
  for (const hour of data) {
    const index = Math.floor(Date.parse(hour.at) / ms) - first
    // The browser's clock may differ from the service's.
    const bounded = Math.min(count - 1, Math.max(0, index))
    entered[bounded]! += hour.entered
    left[bounded]! += hour.left
  }
  const times = entered.map((_, index) => (first + index) * ms)
  return { times, entered, left, step: isLong ? 'day' : 'hour' }
}
