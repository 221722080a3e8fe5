import { summaryText } from './summary-text.ts'
import type { LiveRow } from './live-row.ts'

/** The filters in the URL of the page. They are applied in the browser. */
export const LIVE_FILTERS = [
  'source',
  'destination',
  'type',
  'event',
  'user',
  'outcome',
  'text',
] as const

export type LiveFilterName = (typeof LIVE_FILTERS)[number]

export type LiveFilters = Readonly<Partial<Record<LiveFilterName, string>>>

/** What can be asked of an event's outcome, with its words. */
export const OUTCOMES: readonly (readonly [value: string, words: string])[] = [
  ['', 'Any outcome'],
  ['delivered', 'Delivered'],
  ['retrying', 'Retrying'],
  ['failed', 'Failed'],
  ['declined', 'Declined'],
  ['duplicate', 'Duplicate'],
]

/** The filters among all that is in the URL. */
export function liveFiltersIn(search: Readonly<Partial<Record<string, string>>>): LiveFilters {
  return Object.fromEntries(
    LIVE_FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}

/** Whether a row matches every filter. Texts match anywhere, upper and lower case alike. */
export function matches(row: LiveRow, filters: LiveFilters): boolean {
  const { source, destination, type, event, user, outcome, text } = filters
  return (
    (source === undefined || row.event?.sourceId === source) &&
    (destination === undefined ||
      row.outcomes.some(({ destinationId }) => destinationId === destination)) &&
    (type === undefined || row.event?.type === type) &&
    contains(row.event?.name, event) &&
    (contains(row.event?.userId, user) || contains(row.event?.anonymousId, user)) &&
    hasOutcome(row, outcome) &&
    contains(text === undefined ? '' : summaryText(row), text)
  )
}

function contains(value: string | null | undefined, part: string | undefined): boolean {
  return part === undefined || (value?.toLowerCase().includes(part.toLowerCase()) ?? false)
}

function hasOutcome({ isDuplicate, outcomes }: LiveRow, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  return wanted === 'duplicate' ? isDuplicate : outcomes.some(({ state }) => state === wanted)
}
