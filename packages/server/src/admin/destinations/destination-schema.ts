import { type Destination, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { presentWebhooksSettings } from '../../destinations/webhooks/present-settings.ts'
import { HealthResponse } from './destination-health.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { responses, componentSchema, versionedResponses } from '../problems/responses.ts'
import {
  EmptyBody,
  IdParams,
  IfMatchHeaders,
  nameField,
  FIXED_FIELDS,
  time,
  operationsTagged,
} from '../api/schema-parts.ts'
import { PauseResponse, presentPause } from './pause-schema.ts'
import { SettingsRequest, SettingsResponse } from './webhooks-settings-schema.ts'

const sourceId = Type.String({ description: 'The id of the source whose events go there.' })
const type = Type.Enum(['Webhooks'], { description: 'Webhooks is the only type there is.' })
const enabled = Type.Boolean({
  description: 'true or false. What comes while it is false is not forwarded.',
})

const optional = { name: Type.Optional(nameField), enabled: Type.Optional(enabled) }

const CreateDestinationRequest = Type.Object(
  { sourceId, type, ...optional, settings: SettingsRequest },
  { additionalProperties: false },
)

const ELSEWHERE = 'Leave it out. For another one, make a new destination and remove this one.'

const ChangeDestinationRequest = Type.Object(
  { ...optional, settings: Type.Optional(SettingsRequest) },
  {
    additionalProperties: false,
    'x-fixed': {
      ...FIXED_FIELDS,
      sourceId: ELSEWHERE,
      type: ELSEWHERE,
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
  paused: PauseResponse,
  settings: SettingsResponse,
  createdAt: time,
  updatedAt: time,
  version: Type.Integer({ description: 'What the ETag says.' }),
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

/** What the routes of destinations take and answer. */
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
    ...operation('createDestination', 'Makes a destination, off by default'),
    body: CreateDestinationRequest,
    response: one(201),
  },
  get: {
    ...operation('getDestination', 'Shows a destination'),
    params: IdParams,
    response: versionedResponses(
      200,
      'The destination, without its secrets, and how it fares.',
      Type.Object({ ...fields, health: HealthResponse }),
    ),
  },
  change: {
    ...operation('changeDestination', 'Changes the fields that are given'),
    description: 'Within settings, too, a field that is given replaces what was there.',
    params: IdParams,
    headers: IfMatchHeaders,
    body: ChangeDestinationRequest,
    response: one(200),
  },
  remove: {
    ...operation('removeDestination', 'Removes a destination'),
    params: IdParams,
    headers: IfMatchHeaders,
    response: responses(204, 'It is gone.'),
  },
  pause: {
    ...operation('pauseDestination', 'Holds deliveries instead of trying them'),
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: one(200),
  },
  resume: {
    ...operation('resumeDestination', 'Goes on with what was held'),
    description:
      'Ends the pause of the destination and of each of its webhooks. What was held is due at once, with the whole retry window before it.',
    params: IdParams,
    headers: IfMatchHeaders,
    body: EmptyBody,
    response: one(200),
  },
}

/** The destination as the API shows it. */
export function presentDestination(destination: Destination): object {
  const { settings, paused, createdAt, updatedAt, version, ...rest } = destination
  return {
    ...rest,
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
