import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { api } from '../../../api/client.ts'
import { type Suggestions, suggestionsIn } from '../draft/suggestions.ts'
import type { NameOf } from '../draft/notation.ts'
import type { PartError } from './error-list.tsx'

/** Shared by all inputs of a definition. */
interface BuilderContent {
  readonly errors: readonly PartError[]
  readonly suggestions: Suggestions
  readonly nameOf: NameOf
}

const NO_SUGGESTIONS = suggestionsIn([])

export const BuilderContext = createContext<BuilderContent>({
  errors: [],
  suggestions: NO_SUGGESTIONS,
  nameOf: () => undefined,
})

export function useBuilder(): BuilderContent {
  return useContext(BuilderContext)
}

const MAX_EVENTS = 200

interface SuggestionsOptions {
  readonly sourceId?: string
  /** Whether an input shows the suggestions. If not, they are not fetched. */
  readonly isUsed?: boolean
}

/** Names in recent events, of all sources or of one. */
export function useSuggestions({ sourceId, isUsed = true }: SuggestionsOptions = {}): Suggestions {
  const { data = NO_SUGGESTIONS } = useQuery({
    queryKey: ['suggestions', sourceId],
    queryFn: async () => {
      const { data: events } = await api.listEvents({
        limit: MAX_EVENTS,
        ...(sourceId !== undefined && { sourceId }),
      })
      return suggestionsIn(events.map(({ event }) => event))
    },
    enabled: isUsed,
    staleTime: 60_000,
  })
  return data
}
