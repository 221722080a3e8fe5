import type { Destination, Source, WebhooksSettings } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { presentWebhooksSettings } from '../../destinations/webhooks/present-settings.ts'

export interface SourceEntry extends Pick<Source, 'id' | 'name' | 'enabled' | 'rateLimit'> {
  /** Only in a document with secrets. */
  readonly writeKeys?: readonly string[]
}

export interface DestinationEntry extends Pick<
  Destination,
  'id' | 'sourceId' | 'type' | 'name' | 'enabled'
> {
  /** Whether an operator paused it. Documents of earlier versions do not say. */
  readonly paused?: boolean
  readonly settings: unknown
}

/** Sources and destinations as one document. */
export interface ConfigurationDocument {
  readonly hookline: 1
  readonly sources: readonly SourceEntry[]
  readonly destinations: readonly DestinationEntry[]
}

/** The document of a catalog, oldest first. Without secrets it says only where they are set. */
export function exportConfiguration(
  { sources, destinations }: CatalogSnapshot,
  withSecrets: boolean,
): ConfigurationDocument {
  return {
    hookline: 1,
    sources: [...sources.values()].map((source) => sourceEntry(source, withSecrets)),
    destinations: [...destinations.values()].map((each) => destinationEntry(each, withSecrets)),
  }
}

function sourceEntry(source: Source, withSecrets: boolean): SourceEntry {
  const { id, name, enabled, rateLimit, writeKeys } = source
  const keys = withSecrets ? { writeKeys: writeKeys.map(({ key }) => key) } : {}
  return { id, name, enabled, rateLimit, ...keys }
}

function destinationEntry(destination: Destination, withSecrets: boolean): DestinationEntry {
  const { id, sourceId, type, name, enabled, settings } = destination
  const paused = destination.paused !== null
  const shown = withSecrets ? inClear(settings) : hidden(settings)
  return { id, sourceId, type, name, enabled, paused, settings: shown }
}

function inClear({ sharedSecret, webhooks, successPolicy }: WebhooksSettings): object {
  const plain = webhooks.map(({ url, headers }) => ({ url, headers }))
  return { sharedSecret, webhooks: plain, successPolicy }
}

/** Not even the last characters of a secret: the document is meant to be kept elsewhere. */
function hidden(settings: WebhooksSettings): object {
  const { webhooks, successPolicy } = presentWebhooksSettings(settings)
  return {
    sharedSecret: settings.sharedSecret === null ? null : { set: true },
    webhooks: webhooks.map(({ url, headers }) => ({ url, headers })),
    successPolicy,
  }
}
