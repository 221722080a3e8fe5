import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const REFETCH_MS = 10_000

export type Problem = Awaited<ReturnType<typeof api.listProblems>>['data'][number]

/** The current problems, by alert condition, worst first. */
export const problemsQuery = queryOptions({
  queryKey: ['problems'],
  queryFn: ({ signal }) => api.listProblems({ signal }),
  refetchInterval: REFETCH_MS,
})

/** The current problem of a destination, with all its causes. */
export function useProblemOf(destinationId: string): Problem | undefined {
  return useQuery({
    ...problemsQuery,
    select: ({ data }) =>
      data.find(({ subject }) => subject.kind === 'destination' && subject.id === destinationId),
  }).data
}
