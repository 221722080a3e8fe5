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
  isComparisonComplete,
  NEW_COMPARISON,
} from '../../../domain/conditions/draft/comparison-draft.ts'
import { treeNotation } from '../../../domain/conditions/draft/condition-tree.ts'
import type { ClauseNotation, NameOf } from '../../../domain/conditions/draft/notation.ts'
import { BLANK, describeComparison, nameText } from '../../../domain/conditions/draft/words.ts'
import { numberIn, textOf } from '../../../domain/conditions/draft/written.ts'
import {
  areEventsComplete,
  type EventsDraft,
  eventsDraftOf,
  eventsOf,
  NEW_EVENTS,
  describeSelection,
  describeWhen,
} from './events-draft.ts'

export interface CountDraft {
  readonly op: CountOperator
  readonly n: string
}

interface ComparingClause {
  readonly kind: 'trait' | 'computedTrait'
  /** The path of the trait, or the key of the computed trait. */
  readonly name: string
  readonly comparison: ComparisonDraft
}

interface CountingClause {
  readonly kind: 'events'
  readonly events: EventsDraft
  /** `null` if the definition has no `count`: at least one. */
  readonly count: CountDraft | null
}

interface MembershipClause {
  readonly kind: 'audience'
  readonly audience: string
}

/** A clause being edited. */
export type ClauseDraft = ComparingClause | CountingClause | MembershipClause

export type ClauseKind = ClauseDraft['kind']

export function newClause(kind: ClauseKind): ClauseDraft {
  if (kind === 'audience') return { kind, audience: '' }
  if (kind === 'events') return { kind, events: NEW_EVENTS, count: null }
  return { kind, name: '', comparison: NEW_COMPARISON }
}

export const CLAUSES: ClauseNotation<ClauseDraft> = {
  join: 'and',
  newDraft: () => newClause('events'),
  draftOf: clauseDraftOf,
  jsonOf: clauseOf,
  isComplete: isClauseComplete,
  describe: describeClause,
}

export const CONDITIONS = treeNotation(CLAUSES)

function clauseDraftOf(json: JsonObject): ClauseDraft {
  if (Object.hasOwn(json, 'audience'))
    return { kind: 'audience', audience: textOf(json['audience']) }
  const kind = (['trait', 'computedTrait'] as const).find((each) => Object.hasOwn(json, each))
  return kind === undefined
    ? { kind: 'events', events: eventsDraftOf(json), count: countDraftOf(json) }
    : { kind, name: textOf(json[kind]), comparison: comparisonDraftOf(json) }
}

function countDraftOf({ count }: JsonObject): CountDraft | null {
  if (!isJsonObject(count)) return null
  const op = COUNT_OPERATORS.find((each) => each === count['op']) ?? '>='
  return { op, n: JSON.stringify(count['n']) ?? '' }
}

function clauseOf(clause: ClauseDraft): JsonObject {
  if (clause.kind === 'audience') return { audience: clause.audience }
  if (clause.kind === 'events') return { ...eventsOf(clause.events), ...countOf(clause.count) }
  return { [clause.kind]: clause.name, ...comparisonOf(clause.comparison) }
}

function countOf(count: CountDraft | null): JsonObject {
  if (count === null) return {}
  const n = numberIn(count.n)
  return { count: { op: count.op, ...(n !== undefined && { n }) } }
}

function isClauseComplete(clause: ClauseDraft): boolean {
  if (clause.kind === 'audience') return clause.audience !== ''
  if (clause.kind !== 'events') return clause.name !== '' && isComparisonComplete(clause.comparison)
  const { events, count } = clause
  return areEventsComplete(events) && (count === null || numberIn(count.n) !== undefined)
}

export const COUNT_WORDS: Readonly<Record<CountOperator, string>> = {
  '==': 'exactly',
  '!=': 'not exactly',
  '<': 'fewer than',
  '<=': 'at most',
  '>': 'more than',
  '>=': 'at least',
}

/** `Order Completed at least 2 times in the last 30 days` */
function describeClause(clause: ClauseDraft, nameOf: NameOf): string {
  switch (clause.kind) {
    case 'trait':
      return `trait ${nameText(clause.name)} ${describeComparison(clause.comparison)}`
    case 'computedTrait':
      return `computed trait ${nameText(clause.name)} ${describeComparison(clause.comparison)}`
    case 'audience':
      return `member of ${nameText(nameOf(clause.audience) ?? clause.audience)}`
    case 'events':
      return `${describeSelection(clause.events)} ${describeCount(clause.count)}${describeWhen(clause.events)}`
  }
}

function describeCount(count: CountDraft | null): string {
  if (count === null) return 'at least once'
  const n = count.n.trim() || BLANK
  return `${COUNT_WORDS[count.op]} ${n} ${n === '1' ? 'time' : 'times'}`
}
