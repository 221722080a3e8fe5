import { useQueryClient } from '@tanstack/react-query'
import { useLive } from './use-live.ts'

/**
 * Fetches again what the service says has changed. The first element of a query key is the resource: `['destinations', id]`.
 * After a gap, everything on screen is fetched again.
 */
export function useRefetchOnChange(): void {
  const client = useQueryClient()
  useLive('changes', (messages) => {
    if (messages.some(({ kind }) => kind === 'gap')) return void client.invalidateQueries()
    const resources = messages.flatMap((each) => (each.kind === 'change' ? [each.resource] : []))
    for (const resource of new Set(resources))
      void client.invalidateQueries({ queryKey: [resource] })
  })
}
