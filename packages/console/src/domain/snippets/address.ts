/** Without characters that are special in shells or source code. */
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~%/-]*)?$/

/** Parses user input and removes final slashes. */
export function addressOf(text: string): string | undefined {
  const url = text.trim().replace(/\/+$/, '')
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.search !== '') return undefined
  return PLAIN_URL.test(url) ? url : undefined
}

/** Most client libraries take the origin and the path separately. */
export function partsOf(address: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname } = new URL(address)
  return { origin, path: pathname === '/' ? '' : pathname }
}
