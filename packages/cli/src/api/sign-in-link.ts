import type { Token } from './generated/management-client.ts'
import { definedFields, type ManagementApi } from './management-api.ts'

/** A link that signs a browser in to the console, once. It is a secret. */
interface SignInLink {
  readonly url: string
  readonly expiresAt: string
}

/** Makes a link for the console of the service at `base`; with the role of the token where none is given. */
export async function makeSignInLink(
  base: URL,
  api: ManagementApi,
  role?: Token['role'],
): Promise<SignInLink> {
  const { path, expiresAt } = await api.createSignInLink(definedFields({ role }))
  return { url: linkAt(base, path), expiresAt }
}

/** The address of a path of the service, which a proxy may serve below a path of its own. */
export function linkAt(base: URL, path: string): string {
  return `${base.href.replace(/\/$/, '')}${path}`
}
