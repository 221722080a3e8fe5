import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api } from '../../../api/client.ts'
import { shownText } from '../../../format/shown-text.ts'
import { type Suggestions, suggestionsIn } from '../draft/suggestions.ts'
import type { NameOf } from '../draft/words.ts'
import {
  AUDIENCES,
  type Computation,
  computationsQuery,
  TRAITS,
  useAudienceNames,
} from '../record/computation-kind.ts'
import type { PartFault } from './fault-list.tsx'

type Options = readonly (readonly [value: string, label: string])[]

/** Shared by all inputs of a definition. */
interface BuilderContent {
  readonly faults: readonly PartFault[]
  readonly suggestions: Suggestions
  /** Audiences to refer to, by id. */
  readonly audiences: Options
  /** Computed traits to refer to, by key. */
  readonly traits: Options
  readonly nameOf: NameOf
}

export const BuilderContext = createContext<BuilderContent>({
  faults: [],
  suggestions: suggestionsIn([]),
  audiences: [],
  traits: [],
  nameOf: () => undefined,
})

export function useBuilder(): BuilderContent {
  return useContext(BuilderContext)
}

const MAX_EVENTS = 200
const MAX_CHARACTERS = 60

/** Loads the content of the context. `ownId` is excluded from the options. */
export function useBuilderContent(
  space: string,
  ownId: string | undefined,
  faults: readonly PartFault[],
): BuilderContent {
  const nameOf = useAudienceNames()
  const { data: audiences = [] } = useQuery(computationsQuery(AUDIENCES))
  const { data: traits = [] } = useQuery(computationsQuery(TRAITS))
  const { data: suggestions = suggestionsIn([]) } = useQuery({
    queryKey: ['suggestions'],
    queryFn: async () => {
      const { data } = await api.listEvents({ limit: MAX_EVENTS })
      return suggestionsIn(data.map(({ event }) => event))
    },
    staleTime: 60_000,
  })
  const isOffered = (each: Computation): boolean => each.space === space && each.id !== ownId
  const shown = (name: string): string => shownText(name, MAX_CHARACTERS)
  return {
    faults,
    suggestions,
    audiences: audiences.filter(isOffered).map(({ id, name }) => [id, shown(name)]),
    traits: traits
      .filter(isOffered)
      .map(({ key, name }) => [key, `${shown(key)} (${shown(name)})`]),
    nameOf,
  }
}
