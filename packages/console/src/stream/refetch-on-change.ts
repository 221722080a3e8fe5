import { useQueryClient } from '@tanstack/react-query'
import { useLive } from './use-live.ts'

/**
 * Fetches again what the service says has changed. The first element of a query key is the resource: `['destinations', id]`.
 * Where changes were missed, everything on screen is fetched again.
 */
export function useRefetchOnChange(): void {
  const client = useQueryClient()
  useLive('changes', (messages) => {
    const resources = new Set(
      messages.flatMap((each) => (each.kind === 'change' ? each.resource : [])),
    )
    if (resources.has(null)) return void client.invalidateQueries()
    for (const resource of resources) void client.invalidateQueries({ queryKey: [resource] })
  })
}
