import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toast } from '../../design/windows/toasts.tsx'

type Body = Parameters<typeof api.createReplay>[0]

/** What a replay sends again, and how fast. */
export type ReplaySelection = Omit<Body, 'dryRun'>

interface DryRun {
  /** `undefined` until the service has counted them. */
  readonly matches: number | undefined
  readonly error: unknown
}

/** How many deliveries a replay would send again. */
export function useDryRun(selection: ReplaySelection, isOn: boolean): DryRun {
  const { data, error, isFetching } = useQuery({
    // Not below `replays`: it counts anew for another selection, and not each second while some replay goes on.
    queryKey: ['replay-matches', selection],
    queryFn: async ({ signal }) => {
      const result = await api.createReplay({ ...selection, dryRun: true }, {}, { signal })
      return 'matches' in result ? result.matches : 0
    },
    enabled: isOn,
    staleTime: Infinity,
    gcTime: 0,
  })
  return { matches: isFetching ? undefined : data, error }
}

/** Starts a replay. */
export function useStartReplay(): (selection: ReplaySelection) => Promise<void> {
  const client = useQueryClient()
  return async (selection) => {
    await api.createReplay(selection)
    toast('The replay has started.')
    await Promise.all([
      client.invalidateQueries({ queryKey: ['replays'] }),
      client.invalidateQueries({ queryKey: ['deliveries'] }),
    ])
  }
}
