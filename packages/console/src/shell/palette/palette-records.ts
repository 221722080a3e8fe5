import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allOf, destinationsQuery, sourcesQuery } from '../../api/queries.ts'
import type { NamedRecords } from './palette-entries.ts'

export function usePaletteRecords(): NamedRecords {
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
  return { destinations, sources, audiences, traits }
}
