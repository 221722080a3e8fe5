import { createContext, useContext } from 'react'
import type { PartFault } from '../draft/faults.ts'
import type { Suggestions } from '../draft/suggestions.ts'
import type { NameOf } from '../draft/words.ts'

type Options = readonly (readonly [value: string, words: string])[]

/** What all inputs of a definition share. */
export interface BuilderContent {
  readonly faults: readonly PartFault[]
  readonly suggestions: Suggestions
  /** The audiences that a clause can name, by id. */
  readonly audiences: Options
  /** The computed traits that a clause can name, by key. */
  readonly traits: Options
  readonly nameOf: NameOf
}

export const BuilderContext = createContext<BuilderContent>({
  faults: [],
  suggestions: { track: [], page: [], screen: [], traits: [], properties: [] },
  audiences: [],
  traits: [],
  nameOf: () => undefined,
})

export function useBuilder(): BuilderContent {
  return useContext(BuilderContext)
}
