import type { Role } from '../../backend/tokens.ts'
import type { ShownSetting } from '../api/system-deps.ts'

/** A setting as somebody with this role sees it. Only admins see where the service and its files are. */
export function presentSetting(
  { isSecret, isPlace, value, origin, ...setting }: ShownSetting,
  role: Role,
): object {
  const isAdmin = role === 'admin'
  const hidden = isSecret ? 'secret' : isPlace && !isAdmin ? 'admins_only' : null
  const { kind, name, key } = origin ?? {}
  const shown = { kind, ...(key !== undefined && { key }) }
  const isNamed = name !== undefined && (kind !== 'file' || isAdmin)
  return {
    ...setting,
    value: hidden === null ? value : null,
    hidden,
    origin: origin && (isNamed ? { ...shown, name } : shown),
  }
}
