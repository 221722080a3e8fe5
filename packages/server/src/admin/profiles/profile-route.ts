import { DEFAULT_SPACE } from '@hookline/protocol'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'
import { presentProfile, profileSchemas } from './profile-schema.ts'

/** `/profiles`: everything that is known of a user. */
export function addProfileRoute(app: AdminApp, { profiles, catalog }: AdminDeps): void {
  app.get('/profiles', { schema: profileSchemas.find }, ({ query: { userId, space } }) =>
    shown(userId, space),
  )
  app.get('/profiles/:userId', { schema: profileSchemas.get }, ({ params, query }) =>
    shown(params.userId, query.space),
  )

  async function shown(userId: string, space = DEFAULT_SPACE): Promise<object> {
    const profile = await profiles.find(space, userId)
    if (profile !== undefined) return presentProfile(profile, catalog.current)
    const { through } = await profiles.state()
    const detail =
      through === null
        ? 'No profiles are kept yet: create an audience or a computed trait first.'
        : `There is no profile of this user in the space ${space}.`
    throw new Problem('not_found', { detail })
  }
}
