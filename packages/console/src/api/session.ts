import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, setCsrfToken } from './client.ts'

export type Role = 'viewer' | 'editor' | 'admin'

const ROLES: readonly Role[] = ['viewer', 'editor', 'admin']

/** `kind: "open"` is a session without sign-in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await api.getCurrentSession({ signal })
    setCsrfToken(session.csrfToken)
    return session
  },
  staleTime: 5 * 60_000,
  retryOnMount: false,
})

/** Whether the session has this role, or one that includes it. Buttons for actions that the service would refuse are not shown. */
export function useHasRole(role: Role): boolean {
  const { data } = useQuery(sessionQuery)
  return data !== undefined && ROLES.indexOf(data.role) >= ROLES.indexOf(role)
}
