const WHOLE = new Intl.NumberFormat('en-GB')
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const TENTH = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })

/** `1,234,567` */
export function wholeNumber(value: number): string {
  return WHOLE.format(value)
}

/** `1.23M`; below 10,000, at most one decimal. */
export function shortNumber(value: number): string {
  return Math.abs(value) < 10_000 ? TENTH.format(value) : SHORT.format(value)
}

/** `8 / s`, or `24 / min` below one per second. */
export function rate(perSecond: number): string {
  return perSecond > 0 && perSecond < 1
    ? `${shortNumber(perSecond * 60)} / min`
    : `${shortNumber(perSecond)} / s`
}

/** `99.97%`, never rounded up to 100. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const exact = (part / whole) * 100
  const digits = exact > 99 && exact < 100 ? 2 : 1
  const rounded = Math.floor(exact * 10 ** digits) / 10 ** digits
  return `${rounded}%`
}

/** `840 ms`, `1.2 s`, `3 min`, `2 h`, `4 d` */
export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${TENTH.format(ms / 1_000)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${TENTH.format(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.5 MB`: in powers of 1,000. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3))
  return `${TENTH.format(value / 1_000 ** power)} ${UNITS[power]}`
}

/** `All 4 events.`, or `50 events.` if the list has more. */
export function listCountText(hasMore: boolean, count: number, one: string, many?: string): string {
  return `${hasMore || count < 2 ? '' : 'All '}${countText(count, one, many)}.`
}

/** `1 event`, `2 events` */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${wholeNumber(count)} ${count === 1 ? one : many}`
}
