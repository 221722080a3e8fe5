import {
  COUNT_OPERATORS,
  type CountOperator,
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
import {
  areEventsComplete,
  type EventsDraft,
  eventsDraftOf,
  eventsOf,
  NEW_EVENTS,
} from './events-draft.ts'
import { draftId, numberIn, textOf } from './written.ts'

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

export type Join = 'and' | 'or'

interface Part {
  readonly id: string
  /** The number of enclosing `not`s. */
  readonly nots: number
}

export interface Group extends Part {
  readonly kind: 'group'
  readonly join: Join
  readonly parts: readonly ConditionTree[]
}

export interface ClausePart extends Part {
  readonly kind: 'clause'
  readonly clause: ClauseDraft
}

/** A condition being edited: nested groups of clauses. */
export type ConditionTree = Group | ClausePart

export function newClause(kind: ClauseKind): ClauseDraft {
  if (kind === 'audience') return { kind, audience: '' }
  if (kind === 'events') return { kind, events: NEW_EVENTS, count: null }
  return { kind, name: '', comparison: NEW_COMPARISON }
}

export function newClausePart(): ClausePart {
  return { id: draftId(), nots: 0, kind: 'clause', clause: newClause('events') }
}

export function newGroup(join: Join, parts: readonly ConditionTree[]): Group {
  return { id: draftId(), nots: 0, kind: 'group', join, parts }
}

/** Parses a clause. Invalid parts get defaults. */
export function clauseDraftOf(json: JsonObject): ClauseDraft {
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

/** Parses a condition. Invalid parts get defaults. */
export function treeOf(condition: Json | undefined): ConditionTree {
  const json = isJsonObject(condition) ? condition : {}
  if (Object.hasOwn(json, 'not')) {
    const inner = treeOf(json['not'])
    return { ...inner, nots: inner.nots + 1 }
  }
  const join = (['and', 'or'] as const).find((each) => Object.hasOwn(json, each))
  if (join === undefined) return { ...newClausePart(), clause: clauseDraftOf(json) }
  const parts = json[join]
  return newGroup(join, Array.isArray(parts) ? parts.map((each: Json) => treeOf(each)) : [])
}

/** The condition as the API expects it, without incomplete values. */
export function conditionOf(tree: ConditionTree): JsonObject {
  const inner: JsonObject =
    tree.kind === 'clause' ? clauseOf(tree.clause) : { [tree.join]: tree.parts.map(conditionOf) }
  return Array.from({ length: tree.nots }).reduce<JsonObject>((json) => ({ not: json }), inner)
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

/** Whether every clause is complete and no group is empty. */
export function isConditionComplete(tree: ConditionTree): boolean {
  return tree.kind === 'clause'
    ? isClauseComplete(tree.clause)
    : tree.parts.length > 0 && tree.parts.every(isConditionComplete)
}

function isClauseComplete(clause: ClauseDraft): boolean {
  if (clause.kind === 'audience') return clause.audience !== ''
  if (clause.kind !== 'events') return clause.name !== '' && isComparisonComplete(clause.comparison)
  const { events, count } = clause
  return areEventsComplete(events) && (count === null || numberIn(count.n) !== undefined)
}

/** The JSON Pointer of a part inside its `not`s; `pointer` includes none of them. */
export function innerPointer({ nots }: Part, pointer: string): string {
  return pointer + '/not'.repeat(nots)
}

/** Replaces or removes the part with this id. A root that becomes several parts, or none, turns into a group. */
export function withPart(
  tree: ConditionTree,
  id: string,
  edit: (part: ConditionTree) => readonly ConditionTree[],
): ConditionTree {
  const edited = replaced(tree, id, edit)
  return edited.length === 1 ? edited[0]! : newGroup('and', edited)
}

function replaced(
  part: ConditionTree,
  id: string,
  edit: (part: ConditionTree) => readonly ConditionTree[],
): readonly ConditionTree[] {
  if (part.id === id) return edit(part)
  if (part.kind === 'clause') return [part]
  return [{ ...part, parts: part.parts.flatMap((each) => replaced(each, id, edit)) }]
}

/** A copy with new ids. */
export function copyOf(part: ConditionTree): ConditionTree {
  return treeOf(conditionOf(part))
}
