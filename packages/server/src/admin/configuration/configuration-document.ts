import {
  type Audience,
  BUILT_IN_SOURCE_ID,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
  type Destination,
  LIMITS,
  type Source,
} from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import * as Schema from '../api/schema.ts'
import { exportFields } from '../destinations/routing-settings.ts'
import { exportWebhooksSettings } from '../destinations/settings.ts'

/** An object that its own parser validates. */
const unchecked = <T>(description: string) => Type.Unsafe<T>({ ...Schema.anyObject, description })

const SourceEntryBody = Schema.strictObject({
  id: Type.String({ pattern: '^src_[0-9a-z]{26}$' }),
  name: Schema.name,
  enabled: Type.Boolean(),
  rateLimit: Schema.nullable(Type.Integer({ minimum: 1 })),
  space: Type.Optional(Schema.space('The space of the source. If absent, it is not changed.')),
  fields: Type.Optional(
    Type.Unsafe<object | null>({ type: ['object', 'null'], description: 'As for POST /sources.' }),
  ),
  // A key that consists of dots could not be deleted: clients drop it from URLs.
  writeKeys: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^(?!\\.{1,2}$)' })),
  ),
})

const DestinationEntryBody = Schema.strictObject({
  id: Type.String({ pattern: '^dst_[0-9a-z]{26}$' }),
  sourceId: Type.String(),
  type: Type.Enum(['Webhooks']),
  name: Schema.name,
  enabled: Type.Boolean(),
  paused: Type.Optional(
    Schema.boolean('Whether deliveries are held. If absent, it is not changed.'),
  ),
  settings: unchecked('As for POST /destinations.'),
})

const computationFields = {
  name: Schema.name,
  key: Schema.text('The name of the trait that is sent.'),
  space: Schema.space('The space whose profiles are evaluated.'),
  destinationIds: Type.Array(Type.String(), { maxItems: LIMITS.destinationsPerComputation }),
  enabled: Type.Boolean(),
}

const AudienceEntryBody = Schema.strictObject({
  id: Type.String({ pattern: '^aud_[0-9a-z]{26}$' }),
  ...computationFields,
  condition: Type.Unsafe<Audience['condition']>({
    ...Schema.nullable(Schema.anyObject),
    description: 'As for POST /audiences; null for a manual audience.',
  }),
})

const TraitEntryBody = Schema.strictObject({
  id: Type.String({ pattern: '^trt_[0-9a-z]{26}$' }),
  ...computationFields,
  compute: unchecked<ComputedTrait['compute']>('As for POST /traits.'),
})

const description = 'Entries in the format of the response to GET /export.'

/** Sources, destinations, audiences and computed traits as one document. */
export const ConfigurationBody = Schema.strictObject({
  hookline: Type.Literal(1, { description: 'The version of the document format: 1.' }),
  sources: Type.Array(SourceEntryBody, { maxItems: 10_000, description }),
  destinations: Type.Array(DestinationEntryBody, { maxItems: 10_000, description }),
  audiences: Type.Optional(
    Type.Array(AudienceEntryBody, { maxItems: LIMITS.computations, description }),
  ),
  traits: Type.Optional(Type.Array(TraitEntryBody, { maxItems: LIMITS.computations, description })),
})

export type SourceEntry = Static<typeof SourceEntryBody>
export type DestinationEntry = Static<typeof DestinationEntryBody>
export type ConfigurationDocument = Static<typeof ConfigurationBody>

/**
 * The document of a catalog, oldest records first. Without `withSecrets`, it shows only which
 * secrets are set.
 */
export function exportConfiguration(
  { sources, destinations, computations }: CatalogSnapshot,
  withSecrets: boolean,
): ConfigurationDocument {
  const entries = [...computations.values()].map((each) => computationEntry(each, destinations))
  return {
    hookline: 1,
    // An import creates the built-in source with its first destination.
    sources: [...sources.values()]
      .filter(({ id }) => id !== BUILT_IN_SOURCE_ID)
      .map((source) => sourceEntry(source, withSecrets)),
    destinations: [...destinations.values()].map((each) => destinationEntry(each, withSecrets)),
    audiences: entries.filter((each) => 'condition' in each),
    traits: entries.filter((each) => 'compute' in each),
  }
}

function sourceEntry(source: Source, withSecrets: boolean): SourceEntry {
  const { id, name, enabled, rateLimit, space = DEFAULT_SPACE, writeKeys } = source
  const keys = withSecrets ? { writeKeys: writeKeys.map(({ key }) => key) } : {}
  const fields = exportFields(source.fields, withSecrets)
  return { id, name, enabled, rateLimit, space, fields, ...keys }
}

function computationEntry(record: Computation, destinations: CatalogSnapshot['destinations']) {
  const { id, name, key, space, enabled } = record
  const destinationIds = record.destinationIds.filter((each) => destinations.has(each))
  const fields = { id, name, key, space, destinationIds, enabled }
  return record.kind === 'audience'
    ? { ...fields, condition: record.condition }
    : { ...fields, compute: record.compute }
}

function destinationEntry(destination: Destination, withSecrets: boolean): DestinationEntry {
  const { id, sourceId, type, name, enabled, settings } = destination
  const paused = destination.paused !== null
  const shown = exportWebhooksSettings(settings, withSecrets)
  return { id, sourceId, type, name, enabled, paused, settings: shown }
}
