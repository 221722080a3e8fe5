import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allOf, destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import { useSavedViews } from '../saved-views.tsx'
import { useDebounced } from '../use-debounced.ts'
import type { NamedRecords } from './palette-entries.ts'

const MAX_USERS = 3

export function usePaletteRecords(text: string): NamedRecords {
  const { data: destinations } = useQuery(destinationsQuery)
  const { data: sources } = useQuery(sourcesQuery)
  const { data: audiences } = useQuery({
    queryKey: ['audiences'],
    queryFn: () => allOf((page) => api.listAudiences(page)),
  })
  const { data: traits } = useQuery({
    queryKey: ['traits'],
    queryFn: () => allOf((page) => api.listTraits(page)),
  })
  const views = useSavedViews().map(({ name, to }) => ({ id: to, name }))
  return { destinations, sources, audiences, traits, views, users: useUsers(text) }
}

/** The users whose userId begins with the text. */
function useUsers(text: string): NamedRecords['users'] {
  const search = useDebounced(text.trim())
  return useQuery({
    queryKey: ['profiles', 'palette', search],
    queryFn: ({ signal }) => api.listProfiles({ search, limit: MAX_USERS }, { signal }),
    // A search for an email address would make the service index all of them.
    enabled: /^[^\s@]{2,200}$/.test(search),
    select: ({ data }) =>
      data.flatMap(({ userIds }) => {
        const id = userIds.find((each) => each.startsWith(search))
        return id === undefined ? [] : { id, name: id }
      }),
  }).data
}
