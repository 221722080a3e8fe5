import {
  type Audience,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
  type Destination,
  type Source,
  type WebhooksSettings,
} from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import { presentWebhooksSettings } from '../../destination-settings/webhooks/present-settings.ts'

export interface SourceEntry extends Pick<Source, 'id' | 'name' | 'enabled' | 'rateLimit'> {
  /** Absent from documents of earlier versions. */
  readonly space?: string
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

type Bookkeeping = 'kind' | 'createdAt' | 'updatedAt' | 'version'

/** Without a condition: `null`, for a manual audience. The list of its users is not part of the configuration. */
type AudienceEntry = Omit<Audience, Bookkeeping>

type TraitEntry = Omit<ComputedTrait, Bookkeeping>

/** Sources, destinations, audiences and computed traits as one document. */
export interface ConfigurationDocument {
  readonly hookline: 1
  readonly sources: readonly SourceEntry[]
  readonly destinations: readonly DestinationEntry[]
  /** Absent from documents of earlier versions, as `traits`. */
  readonly audiences?: readonly AudienceEntry[]
  readonly traits?: readonly TraitEntry[]
}

/** The configuration document of a catalog, oldest records first. Without secrets it shows only where a secret is set. */
export function exportConfiguration(
  { sources, destinations, computations }: CatalogSnapshot,
  withSecrets: boolean,
): ConfigurationDocument {
  const entries = [...computations.values()].map((each) => computationEntry(each, destinations))
  return {
    hookline: 1,
    sources: [...sources.values()].map((source) => sourceEntry(source, withSecrets)),
    destinations: [...destinations.values()].map((each) => destinationEntry(each, withSecrets)),
    audiences: entries.filter((each) => 'condition' in each),
    traits: entries.filter((each) => 'compute' in each),
  }
}

function sourceEntry(source: Source, withSecrets: boolean): SourceEntry {
  const { id, name, enabled, rateLimit, space = DEFAULT_SPACE, writeKeys } = source
  const keys = withSecrets ? { writeKeys: writeKeys.map(({ key }) => key) } : {}
  return { id, name, enabled, rateLimit, space, ...keys }
}

function computationEntry(
  record: Computation,
  destinations: CatalogSnapshot['destinations'],
): AudienceEntry | TraitEntry {
  const { id, name, key, space, enabled } = record
  // Destinations that are removed are forgotten.
  const destinationIds = record.destinationIds.filter((each) => destinations.has(each))
  const fields = { id, name, key, space, destinationIds, enabled }
  return record.kind === 'audience'
    ? { ...fields, condition: record.condition }
    : { ...fields, compute: record.compute }
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
