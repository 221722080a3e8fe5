import { DELIVERY_CLASSES, DELIVERY_STATES, type DeliveryClass } from '@hookline/protocol'
import type { api } from '../../../api/client.ts'
import { RANGE_CHOICES, rangeStart } from '../../../domain/periods.ts'

/** The filters in the URL of the tab. */
const FILTERS = ['state', 'class', 'status', 'range'] as const

export type FilterName = (typeof FILTERS)[number]

export type DeliveryFilters = Readonly<Partial<Record<FilterName, string>>>

export const NO_FILTERS = Object.fromEntries(FILTERS.map((name) => [name, undefined]))

/** `waiting` is not a state: it finds deliveries that are pending or held at a webhook. */
const STATE_CHOICES = [
  ['', 'All states'],
  ...DELIVERY_STATES.map((state) => [state, state] as const),
  ['waiting', 'waiting'],
] as const

const CLASS_CHOICES = [
  ['', 'All results'],
  ...Object.keys(DELIVERY_CLASSES).map((name) => [name, name] as const),
] as const

export const CHOICES = [
  ['state', 'State', STATE_CHOICES],
  ['class', 'Last result', CLASS_CHOICES],
  ['range', 'Received', [['', 'Any time'], ...RANGE_CHOICES]],
] as const

type Query = NonNullable<Parameters<typeof api.listDeliveries>[0]>

/** The query for these filters, without unsupported values. */
export function queryOf(filters: DeliveryFilters, now: number): Query {
  const { state = '', class: kind = '', status = '', range = '' } = filters
  const knownState = DELIVERY_STATES.find((each) => each === state)
  const from = rangeStart(range, now)
  return {
    ...(knownState && { state: knownState }),
    ...(state === 'waiting' && { waiting: 'true' as const }),
    ...(Object.hasOwn(DELIVERY_CLASSES, kind) && { $class: kind as DeliveryClass }),
    ...(/^[1-5]\d\d$/.test(status) && { status: Number(status) }),
    ...(from && { $from: from }),
  }
}

/** The filters among all parameters of the URL. */
export function filtersIn(search: DeliveryFilters): DeliveryFilters {
  return Object.fromEntries(
    FILTERS.filter((name) => (search[name] ?? '') !== '').map((name) => [name, search[name]]),
  )
}
