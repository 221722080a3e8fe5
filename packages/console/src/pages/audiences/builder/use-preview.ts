import { isJsonObject, type Json } from '@hookline/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDebounced } from '../../../shell/use-debounced.ts'
import type { ComputationKind } from '../record/computation-kind.ts'

const REFETCH_MS = 2_000
/** Limits polling for an exact size: with a very large number of users, the size remains an estimate. */
const MAX_FETCHES = 15

/** Previews a definition shortly after its last edit; off while it is `undefined`. */
export function usePreview(kind: ComputationKind, space: string, definition: Json | undefined) {
  const text = useDebounced(definition === undefined ? '' : JSON.stringify(definition))
  const settled: unknown = text === '' ? undefined : JSON.parse(text)
  return useQuery({
    queryKey: ['preview', kind.resource, space, text],
    queryFn: ({ signal }) => kind.preview(space, settled as never, signal),
    enabled: isJsonObject(settled),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.isExact === false && state.dataUpdateCount < MAX_FETCHES ? REFETCH_MS : false,
  })
}
