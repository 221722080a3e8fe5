import { type Destination, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { presentWebhooksSettings } from '../../destination-settings/webhooks/present-settings.ts'
import { HealthResponse } from './destination-health.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { responses, componentSchema, versionedResponses } from '../problems/responses.ts'
import {
  EmptyBody,
  IdParams,
  IfMatchHeaders,
  nameField,
  nullable,
  FIXED_FIELDS,
  time,
  timeOrNull,
  operationsTagged,
} from '../api/schema-parts.ts'
import { PauseResponse, presentPause } from './pause-schema.ts'
import { WarningsResponse } from './url-warnings.ts'
import { SettingsRequest, SettingsResponse } from './webhooks-settings-schema.ts'

const sourceId = Type.String({ description: 'The id of the source whose events it receives.' })
const type = Type.Enum(['Webhooks'], { description: 'Webhooks: there is no other type.' })
const enabled = Type.Boolean({
  description: 'true or false. Events that arrive while it is false are not delivered.',
})

const optional = { name: Type.Optional(nameField), enabled: Type.Optional(enabled) }

const CreateDestinationRequest = Type.Object(
  { sourceId, type, ...optional, settings: SettingsRequest },
  { additionalProperties: false },
)

const IMMUTABLE = 'Leave it out. To change it, create a new destination and remove this one.'

const ChangeDestinationRequest = Type.Object(
  { ...optional, settings: Type.Optional(SettingsRequest) },
  {
    additionalProperties: false,
    'x-fixed': {
      ...FIXED_FIELDS,
      enabledChangedAt: 'Leave it out: the server sets it.',
      sourceId: IMMUTABLE,
      type: IMMUTABLE,
      paused: 'Send POST /destinations/:id/pause or /resume.',
    },
  },
)

const fields = {
  id: Type.String(),
  sourceId,
  type,
  name: nameField,
  enabled,
  enabledChangedAt: nullable({
    ...time,
    description:
      'When it was last enabled or disabled, or else created. null if an earlier version of Hookline did that.',
  }),
  paused: PauseResponse,
  settings: SettingsResponse,
  createdAt: time,
  updatedAt: time,
  version: Type.Integer({ description: 'The version, as in the ETag.' }),
  warnings: Type.Optional(WarningsResponse),
}

/** A destination as the API shows it. */
export const DestinationResponse = Type.Object(fields, { $id: 'Destination' })

const operation = operationsTagged('Destinations')
const one = (status: 200 | 201) =>
  versionedResponses(
    status,
    'The destination, without its secrets.',
    componentSchema('Destination'),
  )

/** Requests and responses of the routes of destinations. */
export const destinationSchemas = {
  list: {
    ...operation('listDestinations', 'Lists destinations, oldest first'),
    querystring: Type.Object(
      { ...listQuery, sourceId: Type.Optional(sourceId) },
      { additionalProperties: false },
    ),
    response: responses(200, 'A page of destinations.', pageSchema(componentSchema('Destination'))),
  },
  create: {
    ...operation('createDestination', 'Creates a destination, disabled by default'),
    body: CreateDestinationRequest,
    response: one(201),
  },
  get: {
    ...operation('getDestination', 'Shows a destination'),
    params: IdParams,
    response: versionedResponses(
      200,
      'The destination, without its secrets, and its health.',
      Type.Object({ ...fields, health: HealthResponse }),
    ),
  },
  change: {
    ...operation('changeDestination', 'Changes a destination'),
    description:
      'Fields in the body replace the current values, also within settings. Fields that are absent stay unchanged.',
    params: IdParams,
    headers: IfMatchHeaders,
    body: ChangeDestinationRequest,
    response: one(200),
  },
  remove: {
    ...operation('removeDestination', 'Removes a destination'),
    params: IdParams,
    headers: IfMatchHeaders,
    response: responses(204, 'The destination was removed.'),
  },
  pause: {
    ...operation('pauseDestination', 'Pauses a destination: its deliveries are held'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: one(200),
  },
  resume: {
    ...operation('resumeDestination', 'Resumes a destination'),
    description:
      'Ends the pause of the destination and of each of its webhooks. Held deliveries become due at once, and their retry window starts again. The next attempt is made now, whatever breaker and Retry-After say.',
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: one(200),
  },
  closeBreaker: {
    ...operation(
      'closeBreaker',
      'Closes the breakers of a destination: the next attempts are made now',
    ),
    description:
      'Closes the breaker of each webhook and ends the pauses that receivers asked for with Retry-After. What waits is delivered one by one at first, then faster.',
    params: IdParams,
    body: EmptyBody,
    response: one(200),
  },
}

/** The destination as the API shows it. */
export function presentDestination(destination: Destination): object {
  const { settings, paused, createdAt, updatedAt, version, ...rest } = destination
  return {
    ...rest,
    enabledChangedAt: timeOrNull(rest.enabledChangedAt ?? null),
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
