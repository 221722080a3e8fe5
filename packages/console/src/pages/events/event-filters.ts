import { EVENT_OUTCOMES, EVENT_TYPES } from '@hookline/protocol'
import type { api } from '../../api/client.ts'
import { RANGE_CHOICES, rangeStart } from '../../domain/periods.ts'

/** The filters in the URL of the page. */
const FILTERS = [
  'source',
  'type',
  'outcome',
  'event',
  'userId',
  'anonymousId',
  'messageId',
  'text',
  'range',
  'from',
  'to',
] as const

export type FilterName = (typeof FILTERS)[number]

export type EventFilters = Readonly<Partial<Record<FilterName, string>>>

export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]))

export const RANGES: readonly (readonly [value: string, label: string])[] = [
  ['', 'Any time'],
  ...RANGE_CHOICES,
  ['custom', 'Custom range'],
]

/** The filters among all parameters of the URL. */
export function filtersIn(search: Readonly<Partial<Record<string, string>>>): EventFilters {
  return Object.fromEntries(
    FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}

type EventQuery = NonNullable<Parameters<typeof api.listEvents>[0]>

/** The query of the management API for these filters. A preset range ends at `now`. */
export function queryOf(filters: EventFilters, now: number): EventQuery {
  const { source, type, outcome, range = '', from, to, ...texts } = filters
  const knownType = EVENT_TYPES.find((each) => each === type)
  const knownOutcome = EVENT_OUTCOMES.find((each) => each === outcome)
  const isCustom = range === 'custom'
  const start = isCustom ? from : rangeStart(range, now)
  return {
    ...texts,
    ...(source && { sourceId: source }),
    ...(knownType && { $type: knownType }),
    ...(knownOutcome && { outcome: knownOutcome }),
    ...(start && { $from: start }),
    ...(isCustom && to && { to }),
  }
}

/** The filters in words: `userId is u1`. */
export function describeFilters(
  filters: EventFilters,
  sourceName: (id: string) => string,
): string[] {
  const { source, text, range, from, to, ...exact } = filters
  const isCustom = range === 'custom'
  const [, preset] = RANGE_CHOICES.find(([value]) => value === range) ?? []
  return [
    ...(source ? [`source is ${sourceName(source)}`] : []),
    ...Object.entries(exact).map(([name, value]) => `${name} is ${value}`),
    ...(text ? [`contains “${text}”`] : []),
    ...(preset ? [preset.toLowerCase()] : []),
    ...(isCustom && from ? [`from ${from}`] : []),
    ...(isCustom && to ? [`to ${to}`] : []),
  ]
}
