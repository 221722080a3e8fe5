import { type Audience, type ComputedTrait, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { WarningsResponse } from '../destinations/url-warnings.ts'
import { responses } from '../problems/responses.ts'
import {
  anyObject,
  nameField,
  nullable,
  operationsTagged,
  spaceField,
} from '../api/schema-parts.ts'

const FLAG = ['true', 'false'] as const

const SourceEntryBody = Type.Object(
  {
    id: Type.String({ pattern: '^src_[0-9a-z]{26}$' }),
    name: nameField,
    enabled: Type.Boolean(),
    rateLimit: nullable(Type.Integer({ minimum: 1 })),
    space: Type.Optional(spaceField('The space of the source. If absent, it stays unchanged.')),
    writeKeys: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }))),
  },
  { additionalProperties: false },
)

const DestinationEntryBody = Type.Object(
  {
    id: Type.String({ pattern: '^dst_[0-9a-z]{26}$' }),
    sourceId: Type.String(),
    type: Type.Enum(['Webhooks']),
    name: nameField,
    enabled: Type.Boolean(),
    paused: Type.Optional(
      Type.Boolean({
        description: 'Whether deliveries are held. If absent, an import leaves it unchanged.',
      }),
    ),
    // Checked by parseWebhooksSettings, which knows every rule and its remedy.
    settings: Type.Unsafe<unknown>({
      ...anyObject,
      description: 'As for POST /destinations.',
    }),
  },
  { additionalProperties: false },
)

const computationFields = {
  name: nameField,
  key: Type.String({ description: 'The name of the trait that is sent.' }),
  space: spaceField('The space whose profiles are computed.'),
  destinationIds: Type.Array(Type.String(), { maxItems: LIMITS.destinationsPerComputation }),
  enabled: Type.Boolean(),
}

// Conditions are checked by their parser, which knows every rule and its remedy.
const AudienceEntryBody = Type.Object(
  {
    id: Type.String({ pattern: '^aud_[0-9a-z]{26}$' }),
    ...computationFields,
    condition: Type.Unsafe<Audience['condition']>({
      ...nullable(anyObject),
      description: 'As for POST /audiences; null for a manual audience.',
    }),
  },
  { additionalProperties: false },
)

const TraitEntryBody = Type.Object(
  {
    id: Type.String({ pattern: '^trt_[0-9a-z]{26}$' }),
    ...computationFields,
    compute: Type.Unsafe<ComputedTrait['compute']>({
      ...anyObject,
      description: 'As for POST /traits.',
    }),
  },
  { additionalProperties: false },
)

const ENTRY = 'Entries as in the response to GET /export: every field, and no other.'

const ConfigurationBody = Type.Object(
  {
    hookline: Type.Literal(1, { description: 'The version of the document format: 1.' }),
    sources: Type.Array(SourceEntryBody, { maxItems: 10_000, description: ENTRY }),
    destinations: Type.Array(DestinationEntryBody, { maxItems: 10_000, description: ENTRY }),
    audiences: Type.Optional(
      Type.Array(AudienceEntryBody, { maxItems: LIMITS.computations, description: ENTRY }),
    ),
    traits: Type.Optional(
      Type.Array(TraitEntryBody, { maxItems: LIMITS.computations, description: ENTRY }),
    ),
  },
  { additionalProperties: false },
)

const ids = Type.Array(Type.String())
const DiffResponse = Type.Object({
  dryRun: Type.Boolean(),
  created: ids,
  changed: Type.Array(Type.Object({ id: Type.String(), fields: ids })),
  unchanged: ids,
  notInDocument: Type.Array(Type.String(), {
    description:
      'Sources, destinations, audiences and computed traits of this service that are not in the document. They stay.',
  }),
  warnings: Type.Optional(WarningsResponse),
})

const operation = operationsTagged('Configuration')

/** Requests and responses of `/export` and `/import`. */
export const configurationSchemas = {
  export: {
    ...operation(
      'exportConfiguration',
      'Exports sources, destinations, audiences and computed traits as one document',
    ),
    description:
      'The same configuration always gives the same text, so that it can be kept under version control. The lists of manual audiences are left out. By default, secrets are shown as {"set": true} and write keys are left out.',
    querystring: Type.Object(
      {
        withSecrets: Type.Optional(
          Type.Enum([...FLAG], {
            description:
              'true: includes shared secrets, header values and write keys in plain text.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    response: responses(200, 'The document.', ConfigurationBody),
  },
  import: {
    ...operation(
      'importConfiguration',
      'Imports sources, destinations, audiences and computed traits from a document',
    ),
    description:
      'Records with a new id are created with that id; existing records are changed; no record is removed. All records are written, or none. A secret that the document shows as {"set": true} stays as it is. Sending the same document again changes nothing.',
    querystring: Type.Object(
      {
        dryRun: Type.Optional(
          Type.Enum([...FLAG], { description: 'true: only reports what would change.' }),
        ),
      },
      { additionalProperties: false },
    ),
    body: ConfigurationBody,
    response: responses(200, 'What changed, or would change.', DiffResponse),
  },
}
