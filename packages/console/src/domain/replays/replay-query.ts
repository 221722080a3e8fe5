import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { Replay } from '@hookline/cli/management-client'

const LIMIT = 100
const OPEN_REFETCH_MS = 1_000
const REFETCH_MS = 15_000

export const replaysQuery = queryOptions({
  queryKey: ['replays'],
  queryFn: ({ signal }) => api.listReplays({ limit: LIMIT }, { signal }),
  refetchInterval: ({ state }) =>
    state.data?.data.some(isOpen) === true ? OPEN_REFETCH_MS : REFETCH_MS,
})

export function isOpen({ state }: Replay): boolean {
  return state === 'queued' || state === 'running'
}
