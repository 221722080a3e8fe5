import type { Json, JsonObject } from '@hookline/protocol'

/** Looks up the name of an audience. */
export type NameOf = (audienceId: string) => string | undefined

/** Converts a kind of definition between JSON, a draft for the builder, and words. */
export interface Notation<Draft, Source extends Json = Json> {
  readonly newDraft: () => Draft
  /** Invalid parts get defaults, which `shownBy` of `definition-draft.ts` detects. */
  readonly draftOf: (json: Source) => Draft
  /** The definition as the API expects it, without incomplete values. */
  readonly jsonOf: (draft: Draft) => JsonObject
  readonly isComplete: (draft: Draft) => boolean
  readonly describe: (draft: Draft, nameOf: NameOf) => string
}

/** The notation of a clause. Only objects are clauses. */
export interface ClauseNotation<Clause> extends Notation<Clause, JsonObject> {
  /** How clauses are joined unless the user chooses otherwise. */
  readonly join: Join
}

export type Join = 'and' | 'or'
