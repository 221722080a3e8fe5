import { isJsonObject, type Json, type JsonObject } from '@hookline/protocol'
import type { ClauseNotation, Join, NameOf, Notation } from './notation.ts'
import { BLANK } from './words.ts'
import { draftId } from './written.ts'

interface Part {
  readonly id: string
  /** The number of enclosing `not`s. */
  readonly nots: number
}

export interface Group<Clause> extends Part {
  readonly kind: 'group'
  readonly join: Join
  readonly parts: readonly ConditionTree<Clause>[]
}

export interface ClausePart<Clause> extends Part {
  readonly kind: 'clause'
  readonly clause: Clause
}

/** A condition being edited: nested groups of clauses. */
export type ConditionTree<Clause> = Group<Clause> | ClausePart<Clause>

export function clausePart<Clause>(clause: Clause): ClausePart<Clause> {
  return { id: draftId(), nots: 0, kind: 'clause', clause }
}

export function newGroup<Clause>(
  join: Join,
  parts: readonly ConditionTree<Clause>[],
): Group<Clause> {
  return { id: draftId(), nots: 0, kind: 'group', join, parts }
}

/** The notation of conditions with this kind of clause. */
export function treeNotation<Clause>(
  clauses: ClauseNotation<Clause>,
): Notation<ConditionTree<Clause>> {
  type Tree = ConditionTree<Clause>

  function draftOf(condition: Json | undefined): Tree {
    const json = isJsonObject(condition) ? condition : {}
    if (Object.hasOwn(json, 'not')) {
      const inner = draftOf(json['not'])
      return { ...inner, nots: inner.nots + 1 }
    }
    const join = (['and', 'or'] as const).find((each) => Object.hasOwn(json, each))
    if (join === undefined) return clausePart(clauses.draftOf(json))
    const parts = json[join]
    return newGroup(join, Array.isArray(parts) ? parts.map((each: Json) => draftOf(each)) : [])
  }

  function jsonOf(tree: Tree): JsonObject {
    const inner: JsonObject =
      tree.kind === 'clause' ? clauses.jsonOf(tree.clause) : { [tree.join]: tree.parts.map(jsonOf) }
    return Array.from({ length: tree.nots }).reduce<JsonObject>((json) => ({ not: json }), inner)
  }

  /** Whether every clause is complete and no group is empty. */
  function isComplete(tree: Tree): boolean {
    return tree.kind === 'clause'
      ? clauses.isComplete(tree.clause)
      : tree.parts.length > 0 && tree.parts.every(isComplete)
  }

  /** `trait plan is “pro” and (…)` */
  function describe(tree: Tree, nameOf: NameOf): string {
    const words = describeInner(tree, nameOf)
    return tree.nots === 0 ? words : `${'not '.repeat(tree.nots)}(${words})`
  }

  function describeInner(tree: Tree, nameOf: NameOf): string {
    if (tree.kind === 'clause') return clauses.describe(tree.clause, nameOf)
    if (tree.parts.length === 0) return BLANK
    const parts = tree.parts.map((part) => {
      const words = describe(part, nameOf)
      return part.kind === 'group' && part.nots === 0 && part.parts.length > 1
        ? `(${words})`
        : words
    })
    return parts.join(` ${tree.join} `)
  }

  const newDraft = (): Tree => newGroup(clauses.join, [clausePart(clauses.newDraft())])
  return { newDraft, draftOf, jsonOf, isComplete, describe }
}

/** The JSON Pointer of a part inside its `not`s; `pointer` includes none of them. */
export function innerPointer({ nots }: Part, pointer: string): string {
  return pointer + '/not'.repeat(nots)
}

/** Returns the parts that replace a part. */
export type PartEdit<Clause> = (part: ConditionTree<Clause>) => readonly ConditionTree<Clause>[]

/** Replaces or removes the part with this id. A root that becomes several parts, or none, turns into a group with this join. */
export function withPart<Clause>(
  tree: ConditionTree<Clause>,
  id: string,
  edit: PartEdit<Clause>,
  join: Join,
): ConditionTree<Clause> {
  const edited = replacePart(tree, id, edit)
  return edited.length === 1 ? edited[0]! : newGroup(join, edited)
}

function replacePart<Clause>(
  part: ConditionTree<Clause>,
  id: string,
  edit: PartEdit<Clause>,
): readonly ConditionTree<Clause>[] {
  if (part.id === id) return edit(part)
  if (part.kind === 'clause') return [part]
  return [{ ...part, parts: part.parts.flatMap((each) => replacePart(each, id, edit)) }]
}
