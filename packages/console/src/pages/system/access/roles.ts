import type { Role } from '../../../api/session.ts'

const ROLES = [
  ['viewer', 'Viewer: read only'],
  ['editor', 'Editor: read and write'],
  ['admin', 'Admin: also manages access and data'],
] as const satisfies readonly (readonly [Role, string])[]

/** The roles up to this one, with descriptions. */
export function rolesUpTo(role: Role): readonly (readonly [Role, string])[] {
  return ROLES.slice(0, ROLES.findIndex(([each]) => each === role) + 1)
}
