import {
  type Duration,
  EVENT_TYPES,
  type EventType,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import {
  type ComparisonDraft,
  comparisonDraftOf,
  comparisonOf,
  isComparisonComplete,
  NEW_COMPARISON,
} from './comparison-draft.ts'
import { draftId, numberIn, textOf } from './written.ts'

export type DurationUnit = keyof Duration

export const DURATION_UNITS: readonly DurationUnit[] = ['days', 'hours', 'minutes', 'seconds']

export type WindowDraft =
  | { readonly kind: 'ever' }
  | { readonly kind: 'within'; readonly n: string; readonly unit: DurationUnit }
  | { readonly kind: 'between'; readonly from: string; readonly to: string }

/** A filter on an event property. */
export interface FilterDraft {
  readonly id: string
  readonly property: string
  readonly comparison: ComparisonDraft
}

/** A selection of events and a time window. */
export interface EventsDraft {
  readonly type: EventType
  /** Event, page or screen name, or ''. */
  readonly name: string
  /** `null` if the definition has no `where`. */
  readonly where: readonly FilterDraft[] | null
  readonly window: WindowDraft
}

export const NEW_EVENTS: EventsDraft = {
  type: 'track',
  name: '',
  where: null,
  window: { kind: 'ever' },
}

export function hasName(type: EventType): type is 'track' | 'page' | 'screen' {
  return type === 'track' || type === 'page' || type === 'screen'
}

export function newFilter(): FilterDraft {
  return { id: draftId(), property: '', comparison: NEW_COMPARISON }
}

/** Parses a selection of events. Invalid parts get defaults. */
export function eventsDraftOf(json: JsonObject): EventsDraft {
  const type = EVENT_TYPES.find((each) => each === json['type']) ?? 'track'
  const { where } = json
  return {
    type,
    name: textOf(json[type === 'track' ? 'event' : 'name']),
    where: Array.isArray(where) ? where.map(filterDraftOf) : null,
    window: windowDraftOf(json),
  }
}

function filterDraftOf(filter: Json): FilterDraft {
  const json = isJsonObject(filter) ? filter : {}
  return {
    id: draftId(),
    property: textOf(json['property']),
    comparison: comparisonDraftOf(json),
  }
}

function windowDraftOf({ within, between }: JsonObject): WindowDraft {
  if (isJsonObject(within)) {
    const unit = DURATION_UNITS.find((each) => Object.hasOwn(within, each)) ?? 'days'
    return { kind: 'within', unit, n: JSON.stringify(within[unit]) ?? '' }
  }
  if (!Array.isArray(between)) return { kind: 'ever' }
  const [from, to] = between as readonly Json[]
  return { kind: 'between', from: textOf(from), to: textOf(to) }
}

export function eventsOf({ type, name, where, window }: EventsDraft): JsonObject {
  return {
    ...(type === 'track' ? { event: name } : { type }),
    ...(type !== 'track' && name !== '' && { name }),
    ...(where !== null && {
      where: where.map(({ property, comparison }) => ({ property, ...comparisonOf(comparison) })),
    }),
    ...windowOf(window),
  }
}

function windowOf(window: WindowDraft): JsonObject {
  if (window.kind === 'ever') return {}
  if (window.kind === 'between') return { between: [window.from, window.to] }
  const n = numberIn(window.n)
  return { within: n === undefined ? {} : { [window.unit]: n } }
}

export function areEventsComplete({ type, name, where, window }: EventsDraft): boolean {
  return (
    (type !== 'track' || name !== '') &&
    (where ?? []).every(
      ({ property, comparison }) => property !== '' && isComparisonComplete(comparison),
    ) &&
    (window.kind !== 'within' || numberIn(window.n) !== undefined) &&
    (window.kind !== 'between' || (window.from !== '' && window.to !== ''))
  )
}
