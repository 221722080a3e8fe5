import { useQuery } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import { shownText } from '../../../format/shown-text.ts'
import type { PartFault } from '../draft/faults.ts'
import { suggestionsIn } from '../draft/suggestions.ts'
import {
  AUDIENCES,
  type Computation,
  computationsQuery,
  TRAITS,
} from '../record/computation-kind.ts'
import { useAudienceNames } from '../record/use-audience-names.ts'
import type { BuilderContent } from './builder-context.ts'

const LOOKED_AT = 200
const MOST_NAME = 60

/** What the inputs offer: what is there in the space, and the names in recent events. */
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
      const { data } = await api.listEvents({ limit: LOOKED_AT })
      return suggestionsIn(data.map(({ event }) => event))
    },
    staleTime: 60_000,
  })
  const inSpace = (each: Computation): boolean => each.space === space && each.id !== ownId
  return {
    faults,
    suggestions,
    audiences: audiences.filter(inSpace).map(({ id, name }) => [id, shownText(name, MOST_NAME)]),
    traits: traits
      .filter(inSpace)
      .map(({ key, name }) => [
        key,
        `${shownText(key, MOST_NAME)} (${shownText(name, MOST_NAME)})`,
      ]),
    nameOf,
  }
}
