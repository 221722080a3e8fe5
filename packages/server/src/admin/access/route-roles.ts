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
  'GET /deliveries': 'viewer',
  'GET /deliveries/:id': 'viewer',
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
  'DELETE /suppressions/:userId': 'admin',
  'GET /tokens': 'admin',
  'POST /tokens': 'admin',
  'DELETE /tokens/:id': 'admin',
  'GET /audit': 'admin',
  'GET /stats': 'viewer',
  'GET /live': 'viewer',
  'GET /export': 'admin',
  'PUT /import': 'admin',
  'GET /backup': 'admin',
}

/** The role that a route needs. A route without an entry needs admin. */
export function roleFor(method: string, path: string): Role {
  return ROUTE_ROLES[`${method === 'HEAD' ? 'GET' : method} ${path}`] ?? 'admin'
}

/** Whether the role `has` includes the role `needed`. */
export function isRoleEnough(has: Role, needed: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needed)
}
