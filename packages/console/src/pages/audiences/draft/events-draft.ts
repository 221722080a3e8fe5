import {
  type Duration,
  EVENT_TYPES,
  type EventType,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@hookline/protocol'
import {
  isWhereComplete,
  type WhereDraft,
  whereDraftOf,
  whereOf,
  describeWhere,
} from '../../../domain/conditions/draft/where-draft.ts'
import { BLANK, EVENT_WORDS, nameText } from '../../../domain/conditions/draft/words.ts'
import { numberIn, textOf } from '../../../domain/conditions/draft/written.ts'
import { shownText } from '../../../format/shown-text.ts'

export type DurationUnit = keyof Duration

export const DURATION_UNITS: readonly DurationUnit[] = ['days', 'hours', 'minutes', 'seconds']

export type WindowDraft =
  | { readonly kind: 'ever' }
  | { readonly kind: 'within'; readonly n: string; readonly unit: DurationUnit }
  | { readonly kind: 'between'; readonly from: string; readonly to: string }

/** A selection of events and a time window. */
export interface EventsDraft {
  readonly type: EventType
  /** Event, page or screen name, or ''. */
  readonly name: string
  /** `null` if the definition has no `where`. */
  readonly where: readonly WhereDraft[] | null
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

/** The values that `where` can compare. */
export const WHERE_SUBJECTS = ['property'] as const

/** Parses a selection of events. Invalid parts get defaults. */
export function eventsDraftOf(json: JsonObject): EventsDraft {
  const type = EVENT_TYPES.find((each) => each === json['type']) ?? 'track'
  return {
    type,
    name: textOf(json[type === 'track' ? 'event' : 'name']),
    where: whereDraftOf(json['where'], WHERE_SUBJECTS),
    window: windowDraftOf(json),
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
    ...whereOf(where),
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
    isWhereComplete(where) &&
    (window.kind !== 'within' || numberIn(window.n) !== undefined) &&
    (window.kind !== 'between' || (window.from !== '' && window.to !== ''))
  )
}

const MAX_CHARACTERS = 80

export function describeSelection({ type, name }: EventsDraft): string {
  if (type === 'track') return nameText(name)
  return name === '' ? `any ${EVENT_WORDS[type]}` : `${EVENT_WORDS[type]} ${nameText(name)}`
}

export function describeWhen({ window, where }: EventsDraft): string {
  return `${describeWindow(window)}${describeWhere(where)}`
}

function describeWindow(window: WindowDraft): string {
  if (window.kind === 'ever') return ''
  if (window.kind === 'between')
    return ` from ${shownText(window.from || BLANK, MAX_CHARACTERS)} to ${shownText(window.to || BLANK, MAX_CHARACTERS)}`
  const n = window.n.trim() || BLANK
  return ` in the last ${n === '1' ? window.unit.slice(0, -1) : `${shownText(n, MAX_CHARACTERS)} ${window.unit}`}`
}
