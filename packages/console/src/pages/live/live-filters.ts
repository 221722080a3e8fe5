import { EVENT_OUTCOMES } from '@hookline/protocol'
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
  ['', 'Outcome'],
  ...EVENT_OUTCOMES.map((outcome) => [outcome, outcome] as const),
  ['duplicate', 'duplicate'],
]

/** The filters among all that is in the URL. */
export function liveFiltersIn(search: Readonly<Partial<Record<string, string>>>): LiveFilters {
  return Object.fromEntries(
    LIVE_FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}

/** Whether a row matches every filter. Texts match anywhere, upper and lower case alike. */
export function matches(row: LiveRow, filters: LiveFilters): boolean {
  return LIVE_FILTERS.every((name) => {
    const wanted = filters[name]
    return wanted === undefined || TESTS[name](row, wanted)
  })
}

const TESTS: Readonly<Record<LiveFilterName, (row: LiveRow, wanted: string) => boolean>> = {
  source: ({ event }, wanted) => event?.sourceId === wanted,
  destination: ({ outcomes }, wanted) =>
    outcomes.some(({ destinationId }) => destinationId === wanted),
  type: ({ event }, wanted) => event?.type === wanted,
  event: ({ event }, wanted) => contains(event?.name, wanted),
  user: ({ event }, wanted) =>
    contains(event?.userId, wanted) || contains(event?.anonymousId, wanted),
  outcome: ({ isDuplicate, outcomes }, wanted) =>
    wanted === 'duplicate' ? isDuplicate : outcomes.some(({ state }) => state === wanted),
  text: (row, wanted) => contains(summaryText(row), wanted),
}

function contains(value: string | null | undefined, part: string): boolean {
  return value?.toLowerCase().includes(part.toLowerCase()) ?? false
}
