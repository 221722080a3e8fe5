const MINUTE_MS = 60_000

/** What an input of the kind `datetime-local` shows for a time in UTC. */
export function inputTime(iso: string | undefined, zone: 'utc' | 'local'): string {
  const at = Date.parse(iso ?? '')
  if (Number.isNaN(at)) return ''
  const offset = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset() * MINUTE_MS
  return new Date(at + offset).toISOString().slice(0, 19)
}

/** The time that an input of the kind `datetime-local` means; `undefined` where it is empty or half written. */
export function timeOfInput(value: string, zone: 'utc' | 'local'): string | undefined {
  const at = Date.parse(zone === 'utc' ? `${value}Z` : value)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
