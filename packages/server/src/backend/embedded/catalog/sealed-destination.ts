import type { Destination, WebhooksSettings } from '@hookline/protocol'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'

/** A destination as it is stored: its settings, which contain its secrets, are sealed under its id. */
export type SealedDestination = Omit<Destination, 'settings'> & { readonly settings: string }

/** False for a destination that was stored by a version without encryption. */
export function isSealed(stored: Destination | SealedDestination): stored is SealedDestination {
  return typeof stored.settings === 'string'
}

export function sealDestination(destination: Destination, box: SecretBox): SealedDestination {
  const { id, settings } = destination
  return { ...destination, settings: box.seal(JSON.stringify(settings), id) }
}

/** @throws {SecretBoxError} where the key is not in the box, or the settings were altered */
export function openDestination(stored: SealedDestination, box: SecretBox): Destination {
  const settings = JSON.parse(box.open(stored.settings, stored.id)) as WebhooksSettings
  return { ...stored, settings }
}

/** Whether a document of the catalog is one that `openDestination` can read, or of another kind. */
export function canBeOpened(kind: string, document: string, box: SecretBox): boolean {
  if (kind !== 'destination') return true
  try {
    openDestination(JSON.parse(document) as SealedDestination, box)
    return true
  } catch {
    return false
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
