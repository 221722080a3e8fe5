import type { Token } from './generated/management-client.ts'
import { definedFields, type ManagementApi } from './management-api.ts'

/** Creates a one-time link, which is a secret. The role defaults to the token's role. */
export async function makeSignInLink(
  base: URL,
  api: ManagementApi,
  role?: Token['role'],
): Promise<{ readonly url: string; readonly expiresAt: string }> {
  const { path, expiresAt } = await api.createSignInLink(definedFields({ role }))
  return { url: linkAt(base, path), expiresAt }
}

/** Keeps the path of `base`: a proxy may serve Hookline under a prefix. */
export function linkAt(base: URL, path: string): string {
  return `${base.href.replace(/\/$/, '')}${path}`
}
