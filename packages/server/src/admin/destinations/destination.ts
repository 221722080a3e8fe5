import { type Destination, formatTimestamp, LIMITS, type Pause } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import { presentWebhooksSettings } from '../../destination-settings/webhooks/present-settings.ts'
import { changeRecord, entityTag, requireDestination } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import {
  type AuditedCatalog,
  type AuditedRequest,
  recordEntry,
  type RecordRequest,
} from '../audit.ts'
import { WarningsResponse } from './url-warnings.ts'

/** A pause as the API shows it; `null` if there is none. */
const PauseResponse = Schema.nullable(
  Type.Object(
    {
      since: Schema.time,
      reason: Schema.oneOf(
        ['operator', 'gone', 'forbidden'],
        'gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline.',
      ),
    },
    {
      description:
        'null while deliveries are attempted; otherwise since when and why they are held.',
    },
  ),
)

// These schemas are documentation. parseWebhooksSettings does the validation: it knows every rule and
// its remedy.

const url = Type.String({
  maxLength: LIMITS.webhookUrlCharacters,
  description: 'An http or https URL without credentials and fragment.',
})
const successPolicy = Schema.oneOf(
  ['any', 'each'],
  'any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it.',
)

const WebhookRequest = Type.Object(
  {
    url,
    paused: Type.Optional(
      Type.Unsafe({ description: 'Accepted as it is shown, and ignored: see /pause and /resume.' }),
    ),
    headers: Type.Optional(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        maxProperties: LIMITS.headersPerWebhook,
        description:
          'Static headers: values by name. Headers that Hookline or the connection sets are refused. The value {"set": true}, as it is shown, keeps the stored value.',
      }),
    ),
  },
  Schema.strict,
)

/** Settings in a request. */
export const SettingsRequest = Type.Unsafe<unknown>(
  Type.Object(
    {
      webhooks: Type.Optional(
        Type.Array(WebhookRequest, { minItems: 1, maxItems: LIMITS.webhooksPerDestination }),
      ),
      webhookUrl: Type.Optional(Schema.text('Shorthand for webhooks: one URL without headers.')),
      sharedSecret: Type.Optional(
        Type.Unsafe({
          type: ['string', 'null', 'object'],
          minLength: 1,
          maxLength: 1024,
          description:
            'The key of the signatures; null for no signatures. The object that responses show keeps the stored secret.',
        }),
      ),
      successPolicy: Type.Optional(successPolicy),
    },
    Schema.strict,
  ),
)

/** Settings in a response. */
const SettingsResponse = Type.Object({
  sharedSecret: Type.Object({
    set: Type.Boolean(),
    last4: Type.Optional(Type.String()),
    previousUntil: Type.Optional(
      Schema.timeOf(
        'Until then, webhook-signature also contains the signature of the previous secret.',
      ),
    ),
  }),
  webhooks: Type.Array(
    Type.Object({
      url,
      headers: Type.Record(Type.String(), Type.Object({ set: Type.Literal(true) })),
      paused: PauseResponse,
    }),
  ),
  successPolicy,
})

/** The fields of a destination as the API shows it. */
export const destinationFields = {
  id: Type.String(),
  sourceId: Schema.text('The id of the source whose events it receives.'),
  type: Schema.oneOf(['Webhooks'], 'Webhooks: there is no other type.'),
  name: Schema.name,
  enabled: Schema.boolean('true or false. Events that arrive while it is false are not delivered.'),
  enabledChangedAt: Schema.nullable(
    Schema.timeOf(
      'When it was last enabled or disabled, or else created. null if an earlier version of Hookline did that.',
    ),
  ),
  paused: PauseResponse,
  settings: SettingsResponse,
  createdAt: Schema.time,
  updatedAt: Schema.time,
  version: Schema.version,
  warnings: Type.Optional(WarningsResponse),
}

/** A destination as the API shows it. */
export const DestinationResponse = Type.Object(destinationFields, { $id: 'Destination' })

/** Names the operations of destinations. */
export const operations = Schema.operationsTagged('Destinations')

/** The response with a destination. */
export const oneDestination = (status: 200 | 201) =>
  Schema.versionedResponses(
    status,
    'The destination, without its secrets.',
    Schema.ref(DestinationResponse),
  )

/** The destination as the API shows it. */
export function presentDestination(destination: Destination): object {
  const { settings, paused, createdAt, updatedAt, version, ...rest } = destination
  return {
    ...rest,
    enabledChangedAt: Schema.timeOrNull(rest.enabledChangedAt ?? null),
    paused: presentPause(paused),
    settings: presentSettings(settings),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    version,
  }
}

function presentSettings(settings: Destination['settings']): object {
  const { webhooks, ...shown } = presentWebhooksSettings(settings)
  return {
    ...shown,
    webhooks: webhooks.map((each) => ({ ...each, paused: presentPause(each.paused) })),
  }
}

function presentPause(pause: Pause | null): object | null {
  return pause && { ...pause, since: formatTimestamp(pause.since) }
}

/** Changes a destination at the time `now`, with an audit entry. */
export function changeDestination(
  request: RecordRequest,
  catalog: AuditedCatalog,
  now: number,
  change: (destination: Destination) => Destination,
): Promise<Destination> {
  return changeRecord<Destination>({
    read: () => requireDestination(catalog, request.params.id),
    change,
    put: (next, previous) => {
      const entry = recordEntry(request, next.updatedAt, [previous, next], presentDestination)
      return catalog.putDestination(next, entry)
    },
    now,
    ifMatch: request.headers['if-match'],
  })
}

/** The audit entry of a request that does something with a destination, and leaves its record as it is. */
export function unchangedEntry(
  request: AuditedRequest,
  destination: Destination,
  now: number,
): AuditEntry {
  return recordEntry(request, now, [destination, destination], presentDestination)
}

/** Shows a destination, with its ETag. */
export function respondWithDestination(destination: Destination, reply: FastifyReply): object {
  reply.header('etag', entityTag(destination.version))
  return presentDestination(destination)
}

/** The changed destination, with the time of this change if it was enabled, disabled or created by it. */
export function withToggle(
  changed: Destination,
  before: Pick<Destination, 'enabled'> | undefined,
  now: number,
): Destination {
  return changed.enabled === before?.enabled ? changed : { ...changed, enabledChangedAt: now }
}
