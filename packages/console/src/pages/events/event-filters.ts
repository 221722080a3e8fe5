import { EVENT_OUTCOMES, EVENT_TYPES, type EventOutcome, type EventType } from '@hookline/protocol'

/** The filters in the URL of the page. */
export const FILTERS = [
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

const MINUTE_MS = 60_000

/** How far back the presets reach. */
const PRESETS: Readonly<Record<string, number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '24h': 24 * 60 * MINUTE_MS,
  '7d': 7 * 24 * 60 * MINUTE_MS,
}

/** The presets with their words; `custom` is a time range of one's own. */
export const RANGES: readonly (readonly [value: string, words: string])[] = [
  ['', 'Any time'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['custom', 'From … to …'],
]

/** The filters among all that is in the URL. */
export function filtersIn(search: Readonly<Partial<Record<string, string>>>): EventFilters {
  return Object.fromEntries(
    FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}

export interface EventQuery {
  sourceId?: string
  $type?: EventType
  outcome?: EventOutcome
  event?: string
  userId?: string
  anonymousId?: string
  messageId?: string
  text?: string
  $from?: string
  to?: string
}

/** The query of the management API for these filters. A preset counts from `now`. */
export function queryOf(filters: EventFilters, now: number): EventQuery {
  const { source, type, event, userId, anonymousId, messageId, text } = filters
  const outcome = EVENT_OUTCOMES.find((each) => each === filters.outcome)
  const isType = EVENT_TYPES.some((each) => each === type)
  return {
    ...(source && { sourceId: source }),
    ...(isType && { $type: type as EventType }),
    ...(outcome && { outcome }),
    ...(event && { event }),
    ...(userId && { userId }),
    ...(anonymousId && { anonymousId }),
    ...(messageId && { messageId }),
    ...(text && { text }),
    ...timesOf(filters, now),
  }
}

function timesOf(
  { range = '', from, to }: EventFilters,
  now: number,
): Pick<EventQuery, '$from' | 'to'> {
  if (range === 'custom') return { ...(from && { $from: from }), ...(to && { to }) }
  const preset = PRESETS[range]
  return preset === undefined ? {} : { $from: new Date(now - preset).toISOString() }
}

/** The filters that are set, in words: `userId is u1`. */
export function filterWords(filters: EventFilters, sourceName: (id: string) => string): string[] {
  const { source, range, from, to } = filters
  const ofFields = (
    ['type', 'outcome', 'event', 'userId', 'anonymousId', 'messageId'] as const
  ).flatMap((name) => (filters[name] ? [`${name} is ${filters[name]}`] : []))
  const preset = RANGES.find(([value]) => value === range && value !== 'custom')?.[1]
  return [
    ...(source ? [`source is ${sourceName(source)}`] : []),
    ...ofFields,
    ...(filters.text ? [`contains “${filters.text}”`] : []),
    ...(preset && range ? [preset.toLowerCase()] : []),
    ...(range === 'custom' && from ? [`from ${from}`] : []),
    ...(range === 'custom' && to ? [`to ${to}`] : []),
  ]
}
