import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Replay } from '@hookline/cli/management-client'

const NEWEST = 100
const OPEN_REFETCH_MS = 1_000
const REFETCH_MS = 15_000

/** The newest replays. While one runs, its progress is fetched each second. */
export const replaysQuery = queryOptions({
  queryKey: ['replays'],
  queryFn: ({ signal }) => api.listReplays({ limit: NEWEST }, { signal }),
  refetchInterval: ({ state }) =>
    state.data?.data.some(isOpen) === true ? OPEN_REFETCH_MS : REFETCH_MS,
})

/** Whether the replay goes on, or what it has made due has not ended yet. */
export function isOpen({ state }: Replay): boolean {
  return state === 'queued' || state === 'running'
}
