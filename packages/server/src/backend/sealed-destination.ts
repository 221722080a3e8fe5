import type { Destination, WebhooksSettings } from '@hookline/protocol'

/** What seals a text so that it opens under the same label only. */
interface Sealer {
  seal(text: string, label: string): string
  open(sealed: string, label: string): string
}

/** A destination as it is stored: its settings, which hold its secrets, are sealed under its id. */
export type SealedDestination = Omit<Destination, 'settings'> & { readonly settings: string }

/** One that was stored before there was encryption is not sealed. */
export function isSealed(stored: Destination | SealedDestination): stored is SealedDestination {
  return typeof stored.settings === 'string'
}

export function sealDestination(destination: Destination, sealer: Sealer): SealedDestination {
  const { id, settings } = destination
  return { ...destination, settings: sealer.seal(JSON.stringify(settings), id) }
}

/** @throws what `sealer.open` throws */
export function openDestination(stored: SealedDestination, sealer: Sealer): Destination {
  const settings = JSON.parse(sealer.open(stored.settings, stored.id)) as WebhooksSettings
  return { ...stored, settings }
}
