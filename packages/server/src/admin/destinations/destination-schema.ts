import { type Destination, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import { presentWebhooksSettings } from '../../destinations/webhooks/present-settings.ts'
import { HealthShown } from './destination-health.ts'
import { LIST_QUERY, pageSchema } from '../api/list.ts'
import { responses, shared, versioned } from '../problems/responses.ts'
import { IdInPath, IfMatch, nameField, SET_BY_SERVER, time } from '../api/schema.ts'
import { PauseShown, presentPause } from './pause-schema.ts'
import { SettingsGiven, SettingsShown } from './webhooks-settings-schema.ts'

const sourceId = Type.String({ description: 'The id of the source whose events go there.' })
const type = Type.Enum(['Webhooks'], { description: 'Webhooks is the only type there is.' })
const enabled = Type.Boolean({
  description: 'true or false. What comes while it is false is not forwarded.',
})

const optional = { name: Type.Optional(nameField), enabled: Type.Optional(enabled) }

const NewDestination = Type.Object(
  { sourceId, type, ...optional, settings: SettingsGiven },
  { additionalProperties: false },
)

const NO_FIELDS = Type.Object({}, { additionalProperties: false })

const ELSEWHERE = 'Leave it out. For another one, make a new destination and remove this one.'

const DestinationChange = Type.Object(
  { ...optional, settings: Type.Optional(SettingsGiven) },
  {
    additionalProperties: false,
    'x-fixed': {
      ...SET_BY_SERVER,
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
  paused: PauseShown,
  settings: SettingsShown,
  createdAt: time,
  updatedAt: time,
  version: Type.Integer({ description: 'What the ETag says.' }),
}

/** A destination as the API shows it. */
export const DestinationShown = Type.Object(fields, { $id: 'Destination' })

const about = (operationId: string, summary: string) => ({
  tags: ['Destinations'],
  operationId,
  summary,
})
const one = (status: 200 | 201) =>
  versioned(status, 'The destination, without its secrets.', shared('Destination'))

/** What the routes of destinations take and answer. */
export const DESTINATION_SCHEMAS = {
  list: {
    ...about('listDestinations', 'Lists destinations, oldest first'),
    querystring: Type.Object(
      { ...LIST_QUERY, sourceId: Type.Optional(sourceId) },
      { additionalProperties: false },
    ),
    response: responses(200, 'A page of destinations.', pageSchema(shared('Destination'))),
  },
  create: {
    ...about('createDestination', 'Makes a destination, off by default'),
    body: NewDestination,
    response: one(201),
  },
  get: {
    ...about('getDestination', 'Shows a destination'),
    params: IdInPath,
    response: versioned(
      200,
      'The destination, without its secrets, and how it fares.',
      Type.Object({ ...fields, health: HealthShown }),
    ),
  },
  change: {
    ...about('changeDestination', 'Changes the fields that are given'),
    description: 'Within settings, too, a field that is given replaces what was there.',
    params: IdInPath,
    headers: IfMatch,
    body: DestinationChange,
    response: one(200),
  },
  remove: {
    ...about('removeDestination', 'Removes a destination'),
    params: IdInPath,
    headers: IfMatch,
    response: responses(204, 'It is gone.'),
  },
  pause: {
    ...about('pauseDestination', 'Holds deliveries instead of trying them'),
    params: IdInPath,
    headers: IfMatch,
    body: NO_FIELDS,
    response: one(200),
  },
  resume: {
    ...about('resumeDestination', 'Goes on with what was held'),
    description:
      'Ends the pause of the destination and of each of its webhooks. What was held is due at once, with the whole retry window before it.',
    params: IdInPath,
    headers: IfMatch,
    body: NO_FIELDS,
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
