/** Nothing that a shell or a language would read as more than text. */
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~%/-]*)?$/

/** The address that a person has written, without a slash at its end; `undefined` if it is no address of a service. */
export function addressOf(text: string): string | undefined {
  const given = text.trim().replace(/\/+$/, '')
  const parsed = URL.parse(given)
  if (parsed === null || parsed.username !== '' || parsed.search !== '') return undefined
  return PLAIN_URL.test(given) ? given : undefined
}

/** An address as client libraries want it: the origin, and the path below which the service is, which is often empty. */
export function partsOf(address: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname } = new URL(address)
  return { origin, path: pathname === '/' ? '' : pathname }
}
