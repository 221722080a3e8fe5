import { equalJson, isDeeperThan, type Json, type JsonObject } from '@hookline/protocol'
import {
  computeDraftOf,
  type ComputeDraft,
  computeOf,
  unfinishedInCompute,
} from './compute-draft.ts'
import { conditionOf, type ConditionTree, treeOf, unfinishedIn } from './condition-tree.ts'
import { jsonIn } from './written.ts'

/** How a kind of definition is written with inputs in place of JSON. */
export interface Notation<Draft> {
  readonly draftOf: (json: Json | undefined) => Draft
  readonly jsonOf: (draft: Draft) => JsonObject
  readonly unfinishedIn: (draft: Draft) => number
}

export const CONDITIONS: Notation<ConditionTree> = {
  draftOf: treeOf,
  jsonOf: conditionOf,
  unfinishedIn,
}

export const COMPUTES: Notation<ComputeDraft> = {
  draftOf: computeDraftOf,
  jsonOf: computeOf,
  unfinishedIn: unfinishedInCompute,
}

/** A definition that is written with inputs or as JSON. Both are in step. */
export interface DefinitionDraft<Draft> {
  /** What the inputs show; `undefined` where they cannot show what the JSON says. */
  readonly draft: Draft | undefined
  readonly text: string
  /** What is sent to the service; `undefined` while the text is no JSON. */
  readonly json: Json | undefined
}

const DEEPEST = 100

/** The definition as a person has changed it with the inputs. */
export function withDraft<Draft>(notation: Notation<Draft>, draft: Draft): DefinitionDraft<Draft> {
  const json = notation.jsonOf(draft)
  return { draft, json, text: JSON.stringify(json, null, 2) }
}

/** The definition as a person has changed its JSON. */
export function withText<Draft>(notation: Notation<Draft>, text: string): DefinitionDraft<Draft> {
  const json = jsonIn(text)
  return { draft: shownBy(notation, json), json, text }
}

/** The draft that has exactly this definition; `undefined` if the inputs cannot show all of it. */
export function shownBy<Draft>(
  notation: Notation<Draft>,
  json: Json | undefined,
): Draft | undefined {
  if (json === undefined || isDeeperThan(json, DEEPEST)) return undefined
  const draft = notation.draftOf(json)
  return equalJson(notation.jsonOf(draft), json) ? draft : undefined
}
