import { isJsonObject } from '@hookline/protocol'
import type { AdminDeps } from '../api/admin-deps.ts'
import { presentDestination } from '../destinations/destination-schema.ts'
import { presentSource } from '../sources/source-schema.ts'
import { presentWriteKey } from '../sources/write-key.ts'
import { presentToken } from '../tokens/token-schema.ts'

type Kept = Pick<AdminDeps, 'catalog' | 'keyUses' | 'tokens'>

/** How each kind of thing is shown in the audit log: as the API shows it, which is without secrets. */
const SHOWN: Readonly<Record<string, (kept: Kept, id: string) => object | undefined>> = {
  sources: ({ catalog, keyUses }, id) => {
    const source = catalog.current.sources.get(id)
    if (source === undefined) return undefined
    // Public they may be, but what is no longer valid, or not yet known, need not stand here.
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

/** The thing at `path` (`/sources/:id`) as the audit log shows it now; `null` where there is nothing to show. */
export function auditedState(kept: Kept, path: string, id: string | null): object | null {
  const collection = path.split('/')[1] ?? ''
  if (id === null || !Object.hasOwn(SHOWN, collection)) return null
  return SHOWN[collection]!(kept, id) ?? null
}

/** The id of what a request is about: the one in its path, else the one in its answer. */
export function targetOf(params: unknown, answer: unknown): string | null {
  const fromPath = isJsonObject(params) ? params['id'] : undefined
  if (typeof fromPath === 'string') return fromPath
  if (typeof answer !== 'string' || answer === '') return null
  const body: unknown = JSON.parse(answer)
  const fromAnswer = isJsonObject(body) ? body['id'] : undefined
  return typeof fromAnswer === 'string' ? fromAnswer : null
}

function masked(key: string): string {
  return `…${key.slice(-4)}`
}
