/** The units of time spans in milliseconds, longest first. */
export const TIME_UNITS = {
  w: 7 * 24 * 60 * 60 * 1000,
  d: 24 * 60 * 60 * 1000,
  h: 60 * 60 * 1000,
  m: 60 * 1000,
  s: 1000,
  ms: 1,
} as const

type Unit = keyof typeof TIME_UNITS

const PART = /(\d{1,15})(ms|[wdhms])/g

/** The milliseconds of a time span such as `7d`, `90s` or `1h30m`; `undefined` if it is invalid. */
export function parseTimeSpan(text: string): number | undefined {
  if (!/^(?:\d{1,15}(?:ms|[wdhms]))+$/.test(text)) return undefined
  const parts = [...text.matchAll(PART)]
  const ms = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * TIME_UNITS[unit as Unit],
    0,
  )
  return Number.isSafeInteger(ms) ? ms : undefined
}

/**
 * The text for these milliseconds, in one unit unless its number would be long: `7d`, `90s`, `1500ms`, `0s`, `6d23h59m`.
 * Weeks are written as days.
 */
export function formatTimeSpan(ms: number): string {
  if (ms === 0) return '0s'
  const units = Object.entries(TIME_UNITS).filter(([unit]) => unit !== 'w')
  const [unit, length] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  if (ms / length < 1000 || ms < TIME_UNITS.m) return `${ms / length}${unit}`
  let rest = ms
  return units
    .map(([name, each]) => {
      const count = Math.floor(rest / each)
      rest %= each
      return count === 0 ? '' : `${count}${name}`
    })
    .join('')
}
