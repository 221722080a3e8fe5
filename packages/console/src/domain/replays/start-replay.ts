import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toast } from '../../design/dialogs/toasts.tsx'

type Body = Parameters<typeof api.createReplay>[0]

export type ReplaySelection = Omit<Body, 'dryRun'>

interface DryRun {
  /** `undefined` while the service is counting. */
  readonly matches: number | undefined
  readonly error: unknown
}

/** Counts the deliveries in a replay without starting it. */
export function useDryRun(selection: ReplaySelection, isOn: boolean): DryRun {
  const { data, error, isFetching } = useQuery({
    // Not under `replays`, so that running replays do not refetch it.
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

export function useStartReplay(): (selection: ReplaySelection) => Promise<void> {
  const client = useQueryClient()
  return async (selection) => {
    await api.createReplay(selection)
    toast('Replay started.')
    await Promise.all([
      client.invalidateQueries({ queryKey: ['replays'] }),
      client.invalidateQueries({ queryKey: ['deliveries'] }),
    ])
  }
}
