import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, setCsrfToken } from './client.ts'

export type Role = 'viewer' | 'editor' | 'admin'

const ROLES: readonly Role[] = ['viewer', 'editor', 'admin']

/** The session of this browser, or of everybody on this machine (`kind: "open"`). */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await api.getCurrentSession({ signal })
    setCsrfToken(session.csrfToken)
    return session
  },
  staleTime: 5 * 60_000,
  // Who is not signed in is not asked about twice.
  retryOnMount: false,
})

/** Whether the role of this session includes `needed`. The console shows no button that the service would refuse. */
export function useMay(needed: Role): boolean {
  const { data } = useQuery(sessionQuery)
  return data !== undefined && ROLES.indexOf(data.role) >= ROLES.indexOf(needed)
}
