import { equalJson, isDeeperThan, type Json, type JsonObject } from '@hookline/protocol'
import {
  computeDraftOf,
  type ComputeDraft,
  computeOf,
  isComputeComplete,
  NEW_COMPUTE,
} from './compute-draft.ts'
import {
  conditionOf,
  type ConditionTree,
  isConditionComplete,
  newClausePart,
  newGroup,
  treeOf,
} from './condition-tree.ts'
import { computeWords, conditionWords, type NameOf } from './words.ts'
import { jsonIn } from './written.ts'

/** Converts a kind of definition between JSON, a draft for the builder, and words. */
export interface Notation<Draft> {
  readonly newDraft: () => Draft
  readonly draftOf: (json: Json) => Draft
  readonly jsonOf: (draft: Draft) => JsonObject
  readonly isComplete: (draft: Draft) => boolean
  readonly wordsOf: (draft: Draft, nameOf: NameOf) => string
}

export const CONDITIONS: Notation<ConditionTree> = {
  newDraft: () => newGroup('and', [newClausePart()]),
  draftOf: treeOf,
  jsonOf: conditionOf,
  isComplete: isConditionComplete,
  wordsOf: conditionWords,
}

export const COMPUTES: Notation<ComputeDraft> = {
  newDraft: () => NEW_COMPUTE,
  draftOf: computeDraftOf,
  jsonOf: computeOf,
  isComplete: isComputeComplete,
  wordsOf: computeWords,
}

/** A definition edited in the builder or as JSON. */
export interface DefinitionDraft<Draft> {
  /** `undefined` if the builder cannot represent the JSON. */
  readonly draft: Draft | undefined
  readonly text: string
  /** `undefined` while the text is invalid JSON. */
  readonly json: Json | undefined
}

const MAX_DEPTH = 100

/** The definition after an edit in the builder. */
export function withDraft<Draft>(notation: Notation<Draft>, draft: Draft): DefinitionDraft<Draft> {
  const json = notation.jsonOf(draft)
  return { draft, json, text: JSON.stringify(json, null, 2) }
}

/** The definition after an edit of its JSON. */
export function withText<Draft>(notation: Notation<Draft>, text: string): DefinitionDraft<Draft> {
  const json = jsonIn(text)
  return { draft: json === undefined ? undefined : shownBy(notation, json), json, text }
}

/** The draft of exactly this definition; `undefined` if the builder cannot represent it. */
export function shownBy<Draft>(notation: Notation<Draft>, json: Json): Draft | undefined {
  if (isDeeperThan(json, MAX_DEPTH)) return undefined
  const draft = notation.draftOf(json)
  return equalJson(notation.jsonOf(draft), json) ? draft : undefined
}
