import { isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import {
  type ClauseDraft,
  clauseDraftOf,
  clauseOf,
  isClauseComplete,
  newClause,
} from './clause-draft.ts'
import { draftId } from './draft-id.ts'

export type Join = 'and' | 'or'

interface Part {
  readonly id: string
  /** How many `not` are around it. */
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

/** A condition that is being written: groups of clauses and of groups. */
export type ConditionTree = Group | ClausePart

export function newGroup(join: Join, parts: readonly ConditionTree[]): Group {
  return { id: draftId(), nots: 0, kind: 'group', join, parts }
}

export function newClausePart(): ClausePart {
  return { id: draftId(), nots: 0, kind: 'clause', clause: newClause('events') }
}

/** The tree of a condition. What is not as it must be gets a default: its condition is another one then. */
export function treeOf(condition: Json | undefined): ConditionTree {
  const json = isJsonObject(condition) ? condition : {}
  if (Object.hasOwn(json, 'not')) {
    const inner = treeOf(json['not'])
    return { ...inner, nots: inner.nots + 1 }
  }
  const join = (['and', 'or'] as const).find((each) => Object.hasOwn(json, each))
  if (join === undefined)
    return { id: draftId(), nots: 0, kind: 'clause', clause: clauseDraftOf(json) }
  const parts = json[join]
  return newGroup(join, Array.isArray(parts) ? parts.map((each: Json) => treeOf(each)) : [])
}

/** The condition as the API takes it. What is not finished is left out of it. */
export function conditionOf(tree: ConditionTree): JsonObject {
  const inner: JsonObject =
    tree.kind === 'clause' ? clauseOf(tree.clause) : { [tree.join]: tree.parts.map(conditionOf) }
  return Array.from({ length: tree.nots }).reduce<JsonObject>((json) => ({ not: json }), inner)
}

/** How many clauses have something missing, and groups have nothing in them. */
export function unfinishedIn(tree: ConditionTree): number {
  if (tree.kind === 'clause') return isClauseComplete(tree.clause) ? 0 : 1
  if (tree.parts.length === 0) return 1
  return tree.parts.reduce((sum, part) => sum + unfinishedIn(part), 0)
}

/** The JSON Pointer of the part itself, where `pointer` is that of its outermost `not`. */
export function innerPointer({ nots }: Part, pointer: string): string {
  return pointer + '/not'.repeat(nots)
}

/**
 * The tree in which the part with this id is replaced by these parts: none removes it. What had been one part at the root
 * becomes a group.
 */
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

/** The same part, with ids of its own. */
export function copyOf(part: ConditionTree): ConditionTree {
  return treeOf(conditionOf(part))
}
