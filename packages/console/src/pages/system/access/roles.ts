import type { Role } from '../../../api/session.ts'

const ROLES = [
  ['viewer', 'Viewer: reads'],
  ['editor', 'Editor: also changes records'],
  ['admin', 'Admin: also manages tokens and data'],
] as const satisfies readonly (readonly [Role, string])[]

/** The roles that somebody with this one can give, with what each may do. */
export function rolesUpTo(role: Role): readonly (readonly [Role, string])[] {
  return ROLES.slice(0, ROLES.findIndex(([each]) => each === role) + 1)
}

/** The role that a choice of the list stands for. */
export function asRole(value: string): Role {
  return ROLES.find(([each]) => each === value)?.[0] ?? 'viewer'
}
