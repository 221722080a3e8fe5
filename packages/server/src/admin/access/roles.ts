import type { onRequestHookHandler } from 'fastify'
import { type Role, ROLES } from '../../backend/tokens.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { Problem } from '../problems/problem.ts'

/** The lowest role that may see valid signatures. */
export const SIGNATURES_ROLE: Role = 'editor'

/** The role that the schema of each route requires. Each role includes the ones before it: viewer, editor, admin. */
export class RouteRoles {
  readonly #roles = new Map<string, Role>()

  /** Collects the roles of routes added to `app` from now on. Throws for a route without a role. */
  collect(app: AdminApp): void {
    app.addHook('onRoute', ({ method, routePath, schema }) => {
      const role = schema?.role
      for (const each of [method].flat()) {
        if (role === undefined) throw new Error(`The schema of ${each} ${routePath} has no role.`)
        this.#roles.set(`${each} ${routePath}`, role)
      }
    })
  }

  /** The role for a route like `GET /sources/:id`; admin if the route does not exist. */
  of(route: string): Role {
    return this.#roles.get(route) ?? 'admin'
  }
}

/** The hook that responds with 403 if the token's role is too low. */
export const authorize: onRequestHookHandler = ({ actor, routeOptions }, _reply, done) => {
  const { role = 'admin' } = routeOptions.schema ?? {}
  if (includesRole(actor.role, role)) return done()
  const detail = `This request requires the ${role} role; your token has the ${actor.role} role.`
  return done(new Problem('forbidden', { detail }))
}

export function includesRole(actual: Role, required: Role): boolean {
  return ROLES.indexOf(actual) >= ROLES.indexOf(required)
}
