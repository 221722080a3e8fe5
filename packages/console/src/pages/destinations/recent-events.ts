import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const MAX_EVENTS = 10

/** The newest events from a source, for trying out settings. */
export function useRecentEvents(sourceId: string) {
  const { data, isPending } = useQuery({
    queryKey: ['events', 'recent', sourceId],
    queryFn: ({ signal }) => api.listEvents({ sourceId, limit: MAX_EVENTS }, { signal }),
    // A newer event must not replace the one being viewed.
    refetchOnWindowFocus: false,
  })
  return { recent: data?.data ?? [], isPending }
}
