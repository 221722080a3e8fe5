import { DELIVERY_CLASSES, type DeliveryClass } from '@hookline/protocol'
import type { api } from '../../../api/client.ts'

/** The filters in the URL of the tab. */
export const FILTERS = ['state', 'class', 'status', 'range'] as const

export type FilterName = (typeof FILTERS)[number]

export type DeliveryFilters = Readonly<Partial<Record<FilterName, string>>>

const HOUR_MS = 3_600_000

const RANGE_MS: Readonly<Record<string, number>> = {
  '15m': HOUR_MS / 4,
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
}

/** How far back, with the words. */
export const RANGES = [
  ['', 'All stored'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const

const STATES = ['pending', 'delivered', 'rejected', 'expired', 'held', 'quarantined'] as const

/** The states with their words; `waiting` is not a state of a delivery, but what people look for. */
export const STATE_CHOICES = [
  ['', 'All states'],
  ...STATES.map((state) => [state, state] as const),
  ['waiting', 'a webhook waits'],
] as const

export const CLASS_CHOICES = [
  ['', 'All results'],
  ...Object.keys(DELIVERY_CLASSES).map((name) => [name, name] as const),
] as const

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

/** The query for these filters. What the URL has and the service would not know is left out. */
export function queryOf(filters: DeliveryFilters, now: number): Query {
  const { state = '', class: kind = '', status = '', range = '' } = filters
  const known = STATES.find((each) => each === state)
  const ms = RANGE_MS[range]
  return {
    ...(known !== undefined && { state: known }),
    ...(state === 'waiting' && { waiting: 'true' as const }),
    ...(Object.hasOwn(DELIVERY_CLASSES, kind) && { $class: kind as DeliveryClass }),
    ...(/^[1-5]\d\d$/.test(status) && { status: Number(status) }),
    ...(ms !== undefined && { $from: new Date(now - ms).toISOString() }),
  }
}

/** The filters among all that is in the URL. */
export function filtersIn(search: DeliveryFilters): DeliveryFilters {
  return Object.fromEntries(
    FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}
