import {
  COUNT_OPERATORS,
  type CountOperator,
  isJsonObject,
  type JsonObject,
} from '@hookline/protocol'
import {
  type ComparisonDraft,
  comparisonDraftOf,
  comparisonOf,
  isCompared,
  NEW_COMPARISON,
} from './comparison-draft.ts'
import {
  areEventsComplete,
  type EventsDraft,
  eventsDraftOf,
  eventsOf,
  NEW_EVENTS,
  textIn,
} from './events-draft.ts'
import { numberIn } from './written.ts'

export interface CountDraft {
  readonly op: CountOperator
  readonly n: string
}

export interface ComparingClause {
  readonly kind: 'trait' | 'computedTrait'
  /** The path of the trait, or the key of the computed trait. */
  readonly name: string
  readonly comparison: ComparisonDraft
}

export interface CountingClause {
  readonly kind: 'events'
  readonly events: EventsDraft
  /** null: at least one, as the definition does not say. */
  readonly count: CountDraft | null
}

export interface MembershipClause {
  readonly kind: 'audience'
  readonly audience: string
}

/** A clause that is being written. */
export type ClauseDraft = ComparingClause | CountingClause | MembershipClause

export type ClauseKind = ClauseDraft['kind']

/** A clause of this kind in which nothing is written. */
export function newClause(kind: ClauseKind): ClauseDraft {
  if (kind === 'audience') return { kind, audience: '' }
  if (kind === 'events') return { kind, events: NEW_EVENTS, count: null }
  return { kind, name: '', comparison: NEW_COMPARISON }
}

/** The draft of a clause. What is not as it must be gets a default. */
export function clauseDraftOf(json: JsonObject): ClauseDraft {
  if (Object.hasOwn(json, 'audience'))
    return { kind: 'audience', audience: textIn(json, 'audience') }
  const kind = (['trait', 'computedTrait'] as const).find((each) => Object.hasOwn(json, each))
  return kind === undefined
    ? { kind: 'events', events: eventsDraftOf(json), count: countDraftOf(json) }
    : { kind, name: textIn(json, kind), comparison: comparisonDraftOf(json) }
}

function countDraftOf({ count }: JsonObject): CountDraft | null {
  if (!isJsonObject(count)) return null
  const op = COUNT_OPERATORS.find((each) => each === count['op']) ?? '>='
  return { op, n: JSON.stringify(count['n']) ?? '' }
}

export function clauseOf(clause: ClauseDraft): JsonObject {
  if (clause.kind === 'audience') return { audience: clause.audience }
  if (clause.kind === 'events') return { ...eventsOf(clause.events), ...countOf(clause.count) }
  return { [clause.kind]: clause.name, ...comparisonOf(clause.comparison) }
}

function countOf(count: CountDraft | null): JsonObject {
  if (count === null) return {}
  const n = numberIn(count.n)
  return { count: { op: count.op, ...(n !== undefined && { n }) } }
}

/** Whether nothing is missing in it. */
export function isClauseComplete(clause: ClauseDraft): boolean {
  if (clause.kind === 'audience') return clause.audience !== ''
  if (clause.kind !== 'events') return clause.name !== '' && isCompared(clause.comparison)
  const { events, count } = clause
  return areEventsComplete(events) && (count === null || numberIn(count.n) !== undefined)
}
