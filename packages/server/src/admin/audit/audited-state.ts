import { isJsonObject } from '@hookline/protocol'
import type { AdminDeps } from '../api/admin-deps.ts'
import { presentDestination } from '../destinations/destination-schema.ts'
import { presentSource } from '../sources/source-schema.ts'
import { presentWriteKey } from '../sources/write-key.ts'
import { presentToken } from '../tokens/token-schema.ts'

type Kept = Pick<AdminDeps, 'catalog' | 'keyUses' | 'tokens'>

/** Presents each kind of record for the audit log as the API shows it, which is without secrets. */
const PRESENTERS: Readonly<Record<string, (kept: Kept, id: string) => object | undefined>> = {
  sources: ({ catalog, keyUses }, id) => {
    const source = catalog.current.sources.get(id)
    if (source === undefined) return undefined
    // Write keys are public, but old and brand-new ones need not appear in the audit log.
    const writeKeys = source.writeKeys.map((each) => ({
      ...presentWriteKey(each, keyUses),
      key: masked(each.key),
    }))
    return { ...presentSource(source, keyUses), writeKeys }
  },
  destinations: ({ catalog }, id) => {
    const destination = catalog.current.destinations.get(id)
    return destination && presentDestination(destination)
  },
  tokens: ({ tokens }, id) => {
    const token = tokens.current.get(id)
    return token && presentToken(token)
  },
}

/** The current state of the record at `path` (`/sources/:id`) for the audit log; `null` if there is none. */
export function auditedState(kept: Kept, path: string, id: string | null): object | null {
  const collection = path.split('/')[1] ?? ''
  if (id === null || !Object.hasOwn(PRESENTERS, collection)) return null
  return PRESENTERS[collection]!(kept, id) ?? null
}

/** The id of the record that a request changes: from its path, otherwise from the response body. */
export function targetOf(params: unknown, response: unknown): string | null {
  const fromPath = isJsonObject(params) ? params['id'] : undefined
  if (typeof fromPath === 'string') return fromPath
  if (typeof response !== 'string' || response === '') return null
  const body: unknown = JSON.parse(response)
  const fromBody = isJsonObject(body) ? body['id'] : undefined
  return typeof fromBody === 'string' ? fromBody : null
}

function masked(key: string): string {
  return `…${key.slice(-4)}`
}
