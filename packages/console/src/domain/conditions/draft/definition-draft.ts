import { equalJson, isDeeperThan, type Json } from '@hookline/protocol'
import type { Notation } from './notation.ts'
import { jsonIn } from './written.ts'

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

/** Whether the definition can be previewed and saved. */
export function isDefinitionComplete<Draft>(
  notation: Notation<Draft>,
  { draft, json }: DefinitionDraft<Draft>,
): boolean {
  return draft === undefined ? json !== undefined : notation.isComplete(draft)
}

/** The draft of exactly this definition; `undefined` if the builder cannot represent it. */
export function shownBy<Draft>(notation: Notation<Draft>, json: Json): Draft | undefined {
  if (isDeeperThan(json, MAX_DEPTH)) return undefined
  const draft = notation.draftOf(json)
  return equalJson(notation.jsonOf(draft), json) ? draft : undefined
}
