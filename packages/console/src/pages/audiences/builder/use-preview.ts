import { isJsonObject, type Json } from '@hookline/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ComputationKind } from '../record/computation-kind.ts'
import { useDebounced } from './use-debounced.ts'

const PAUSE_MS = 400
const AGAIN_MS = 2_000
/** Profiles that do not have all events yet are looked at again, so often at most: of very many, the size stays an estimate. */
const MOST_AGAIN = 15

/** Who would have a value by this definition, a moment after it was last changed. `undefined`: it is not finished yet. */
export function usePreview(kind: ComputationKind, space: string, definition: Json | undefined) {
  const text = useDebounced(definition === undefined ? '' : JSON.stringify(definition), PAUSE_MS)
  const settled: unknown = text === '' ? undefined : JSON.parse(text)
  const query = useQuery({
    queryKey: ['preview', kind.resource, space, text],
    queryFn: ({ signal }) => kind.preview(space, settled as never, signal),
    enabled: isJsonObject(settled),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.isExact === false && state.dataUpdateCount < MOST_AGAIN ? AGAIN_MS : false,
  })
  return { ...query, isOff: definition === undefined }
}
