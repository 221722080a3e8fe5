import type { Source } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Refused } from '../calls/refused.ts'

/** The enabled source that the write key names. */
export function authenticate(
  catalog: CatalogSnapshot,
  writeKey: string | undefined,
): Source | Refused {
  const source = writeKey === undefined ? undefined : catalog.sourceByWriteKey.get(writeKey)
  if (source === undefined) return { refused: 'unknown_write_key' }
  return source.enabled ? source : { refused: 'source_disabled' }
}
