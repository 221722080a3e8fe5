import type { Destination, Source, WebhooksSettings } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { presentWebhooksSettings } from '../../destination-settings/webhooks/present-settings.ts'

export interface SourceEntry extends Pick<Source, 'id' | 'name' | 'enabled' | 'rateLimit'> {
  /** Only in a document with secrets. */
  readonly writeKeys?: readonly string[]
}

export interface DestinationEntry extends Pick<
  Destination,
  'id' | 'sourceId' | 'type' | 'name' | 'enabled'
> {
  /** Whether the destination is paused. Absent from documents of earlier versions. */
  readonly paused?: boolean
  readonly settings: unknown
}

/** Sources and destinations as one document. */
export interface ConfigurationDocument {
  readonly hookline: 1
  readonly sources: readonly SourceEntry[]
  readonly destinations: readonly DestinationEntry[]
}

/** The configuration document of a catalog, oldest records first. Without secrets it shows only where a secret is set. */
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
  const shown = withSecrets ? withSecretsOf(settings) : withoutSecretsOf(settings)
  return { id, sourceId, type, name, enabled, paused, settings: shown }
}

function withSecretsOf({ sharedSecret, webhooks, successPolicy }: WebhooksSettings): object {
  const plain = webhooks.map(({ url, headers }) => ({ url, headers }))
  return { sharedSecret, webhooks: plain, successPolicy }
}

/** Leaves out even the last characters of a secret, because the document is meant to be kept elsewhere. */
function withoutSecretsOf(settings: WebhooksSettings): object {
  const { webhooks, successPolicy } = presentWebhooksSettings(settings)
  return {
    sharedSecret: settings.sharedSecret === null ? null : { set: true },
    webhooks: webhooks.map(({ url, headers }) => ({ url, headers })),
    successPolicy,
  }
}
