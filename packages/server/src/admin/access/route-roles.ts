import type { FastifyRequest } from 'fastify'
import { type Role, ROLES } from '../../backend/tokens.ts'

/** The role that each route needs. A role includes those before it: viewer, editor, admin. */
export const ROUTE_ROLES: Readonly<Record<string, Role>> = {
  'GET /sources': 'viewer',
  'POST /sources': 'editor',
  'GET /sources/:id': 'viewer',
  'PATCH /sources/:id': 'editor',
  'DELETE /sources/:id': 'editor',
  'POST /sources/:id/write-keys': 'editor',
  'DELETE /sources/:id/write-keys/:key': 'editor',
  'GET /destinations': 'viewer',
  'POST /destinations': 'editor',
  'GET /destinations/:id': 'viewer',
  'PATCH /destinations/:id': 'editor',
  'DELETE /destinations/:id': 'editor',
  'POST /destinations/:id/test': 'editor',
  'POST /destinations/:id/rotate-secret': 'editor',
  'POST /destinations/:id/pause': 'editor',
  'POST /destinations/:id/resume': 'editor',
  'POST /destinations/:id/close-breaker': 'editor',
  'GET /events': 'viewer',
  'GET /events/:id': 'viewer',
  'GET /events/why-missing': 'viewer',
  'GET /deliveries': 'viewer',
  'GET /deliveries/:id': 'viewer',
  // Its commands have valid signatures.
  'GET /deliveries/:id/requests': 'editor',
  'GET /deliveries/failures': 'viewer',
  'POST /deliveries/:id/retry': 'editor',
  'GET /replays': 'viewer',
  'POST /replays': 'editor',
  'GET /replays/:id': 'viewer',
  'POST /replays/:id/cancel': 'editor',
  'GET /deletions': 'viewer',
  'POST /deletions': 'admin',
  'GET /deletions/:id': 'viewer',
  'GET /deletions/:id/notices': 'viewer',
  'GET /suppressions': 'viewer',
  'DELETE /suppressions': 'admin',
  'DELETE /suppressions/:userId': 'admin',
  'DELETE /suppressions/anonymous/:anonymousId': 'admin',
  'GET /audiences': 'viewer',
  'POST /audiences': 'editor',
  'GET /audiences/:id': 'viewer',
  'PATCH /audiences/:id': 'editor',
  'DELETE /audiences/:id': 'editor',
  'POST /audiences/preview': 'viewer',
  'POST /audiences/:id/sync': 'editor',
  'GET /audiences/:id/syncs': 'viewer',
  'GET /audiences/:id/explain': 'viewer',
  'GET /audiences/:id/changes': 'viewer',
  'GET /audiences/:id/members': 'viewer',
  'PUT /audiences/:id/members': 'editor',
  'GET /audiences/:id/list': 'viewer',
  'GET /traits': 'viewer',
  'POST /traits': 'editor',
  'GET /traits/:id': 'viewer',
  'PATCH /traits/:id': 'editor',
  'DELETE /traits/:id': 'editor',
  'POST /traits/preview': 'viewer',
  'POST /traits/:id/sync': 'editor',
  'GET /traits/:id/syncs': 'viewer',
  'GET /traits/:id/explain': 'viewer',
  'GET /traits/:id/changes': 'viewer',
  'GET /traits/:id/values': 'viewer',
  'GET /profiles': 'viewer',
  'GET /profiles/:userId': 'viewer',
  'GET /tokens': 'admin',
  'POST /tokens': 'admin',
  'DELETE /tokens/:id': 'admin',
  'POST /sign-in-links': 'viewer',
  'GET /session': 'viewer',
  'GET /sessions': 'admin',
  'DELETE /sessions/:id': 'viewer',
  'GET /audit': 'admin',
  'GET /system': 'viewer',
  'GET /stats': 'viewer',
  'GET /live': 'viewer',
  'GET /inspector': 'viewer',
  'GET /inspector/requests': 'viewer',
  'GET /inspector/requests/:id': 'viewer',
  'DELETE /inspector/requests': 'editor',
  'PUT /inspector/answers': 'editor',
  'GET /export': 'admin',
  'PUT /import': 'admin',
  'GET /backup': 'admin',
}

/** The route of a request, like `GET /sources/:id`. HEAD is as GET. */
export function routeOf({ method, routeOptions }: FastifyRequest, prefix: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${(routeOptions.url ?? '').slice(prefix.length)}`
}

/** The role that a route needs. A route without an entry needs admin. */
export function roleFor(route: string): Role {
  return ROUTE_ROLES[route] ?? 'admin'
}

/** Whether the role `has` includes the role `needed`. */
export function isRoleEnough(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}
