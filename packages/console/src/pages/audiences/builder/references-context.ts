import { useQuery } from '@tanstack/react-query'
import { createContext } from 'react'
import { shownText } from '../../../format/shown-text.ts'
import {
  AUDIENCES,
  type Computation,
  computationsQuery,
  TRAITS,
} from '../record/computation-kind.ts'

type Options = readonly (readonly [value: string, label: string])[]

/** The audiences and computed traits that a clause can refer to. */
interface References {
  /** By id. */
  readonly audiences: Options
  /** Computed traits, by key. */
  readonly traits: Options
}

export const ReferencesContext = createContext<References>({ audiences: [], traits: [] })

const MAX_CHARACTERS = 60

/** The audiences and computed traits of a space, except `ownId`. */
export function useReferences(space: string, ownId: string | undefined): References {
  const { data: audiences = [] } = useQuery(computationsQuery(AUDIENCES))
  const { data: traits = [] } = useQuery(computationsQuery(TRAITS))
  const isOffered = (each: Computation): boolean => each.space === space && each.id !== ownId
  const shown = (name: string): string => shownText(name, MAX_CHARACTERS)
  return {
    audiences: audiences.filter(isOffered).map(({ id, name }) => [id, shown(name)]),
    traits: traits
      .filter(isOffered)
      .map(({ key, name }) => [key, `${shown(key)} (${shown(name)})`]),
  }
}
