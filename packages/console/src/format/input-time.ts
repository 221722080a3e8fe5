const MINUTE_MS = 60_000

/** The value of a `datetime-local` input. */
export function inputTime(iso: string | undefined, zone: 'utc' | 'local'): string {
  const at = Date.parse(iso ?? '')
  if (Number.isNaN(at)) return ''
  const offset = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE_MS
  return new Date(at + offset).toISOString().slice(0, 19)
}

/** Parses the value of a `datetime-local` input; `undefined` if it is empty or incomplete. */
export function timeOfInput(value: string, zone: 'utc' | 'local'): string | undefined {
  const at = Date.parse(zone === 'utc' ? `${value}Z` : value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
