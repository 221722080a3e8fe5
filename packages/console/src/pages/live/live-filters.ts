import { EVENT_OUTCOMES } from '@hookline/protocol'
import type { LiveRow } from './live-row.ts'

/** Filters in the page's URL, applied in the browser. */
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

export const OUTCOMES: readonly string[] = [...EVENT_OUTCOMES, 'duplicate']

export function liveFiltersIn(search: Readonly<Partial<Record<string, string>>>): LiveFilters {
  return Object.fromEntries(
    LIVE_FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}

/** Whether a row matches every filter. Text filters match substrings, ignoring case. */
export function matchesFilters(row: LiveRow, filters: LiveFilters): boolean {
  return LIVE_FILTERS.every((name) => {
    const filter = filters[name]
    return filter === undefined || TESTS[name](row, filter)
  })
}

const TESTS: Readonly<Record<LiveFilterName, (row: LiveRow, filter: string) => boolean>> = {
  source: ({ event }, filter) => event?.sourceId === filter,
  destination: ({ outcomes }, filter) =>
    outcomes.some(({ destinationId }) => destinationId === filter),
  type: ({ event }, filter) => event?.type === filter,
  event: ({ event }, filter) => contains([event?.name], filter),
  user: ({ event }, filter) => contains([event?.userId, event?.anonymousId], filter),
  outcome: ({ isDuplicate, outcomes }, filter) =>
    filter === 'duplicate' ? isDuplicate : outcomes.some(({ state }) => state === filter),
  text: ({ eventId, event, outcomes }, filter) =>
    contains(
      [
        eventId,
        ...(event === null ? [] : EVENT_TEXTS.map((name) => event[name])),
        ...outcomes.flatMap((outcome) => OUTCOME_TEXTS.map((name) => outcome[name])),
      ],
      filter,
    ),
}

const EVENT_TEXTS = ['type', 'name', 'userId', 'anonymousId', 'messageId', 'sourceId'] as const
const OUTCOME_TEXTS = ['destinationId', 'state', 'detail', 'status'] as const

function contains(values: readonly (string | number | null | undefined)[], part: string): boolean {
  return values.some((value) =>
    String(value ?? '')
      .toLowerCase()
      .includes(part.toLowerCase()),
  )
}
