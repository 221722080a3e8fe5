import { type Destination, isJsonObject, newId, type WebhooksSettings } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { parseWebhooksSettings } from '../../destination-settings/webhooks/settings.ts'
import { type Fault, fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { entityTag, lanesOf, requireDestination, requireMatch } from '../api/catalog-records.ts'
import { List, pageOf } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import { type ChangeDeps, recordEntry } from '../audit.ts'
import { respondWith, withResponse } from '../idempotency.ts'
import { Problem } from '../problems/problem.ts'
import {
  changeDestination,
  DestinationResponse,
  destinationFields,
  oneDestination,
  operations,
  presentDestination,
  SettingsRequest,
  withToggle,
} from './destination.ts'
import { type HealthDeps, HealthResponse, readDestinationHealth } from './destination-health.ts'
import { hostWarnings, type UrlChecks, urlWarnings } from './url-warnings.ts'

const optional = {
  name: Type.Optional(Schema.name),
  enabled: Type.Optional(destinationFields.enabled),
}

const CreateDestinationRequest = Type.Object(
  {
    sourceId: destinationFields.sourceId,
    type: destinationFields.type,
    ...optional,
    settings: SettingsRequest,
  },
  Schema.strict,
)

const IMMUTABLE = 'Leave it out. To change it, create a new destination and remove this one.'

const ChangeDestinationRequest = Type.Object(
  { ...optional, settings: Type.Optional(SettingsRequest) },
  {
    additionalProperties: false,
    'x-fixed': {
      ...Schema.FIXED_FIELDS,
      enabledChangedAt: 'Leave it out: the server sets it.',
      sourceId: IMMUTABLE,
      type: IMMUTABLE,
      paused: 'Send POST /destinations/:id/pause or /resume.',
    },
  },
)

const schemas = {
  list: {
    ...operations.viewer('listDestinations', 'Lists destinations, oldest first'),
    querystring: Type.Object(
      { ...Schema.listQuery, sourceId: Type.Optional(destinationFields.sourceId) },
      Schema.strict,
    ),
    response: Schema.pages('A page of destinations.', Schema.ref(DestinationResponse)),
  },
  create: {
    ...operations.editor('createDestination', 'Creates a destination, disabled by default'),
    body: CreateDestinationRequest,
    response: oneDestination(201),
  },
  get: {
    ...operations.viewer('getDestination', 'Shows a destination'),
    isLongRead: true,
    params: Schema.IdParams,
    response: Schema.versionedResponses(
      200,
      'The destination, without its secrets, and its health.',
      Type.Object({ ...destinationFields, health: HealthResponse }),
    ),
  },
  change: {
    ...operations.editor('changeDestination', 'Changes a destination'),
    description:
      'Fields in the body replace the current values, also within settings. Fields that are absent stay unchanged.',
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: ChangeDestinationRequest,
    response: oneDestination(200),
  },
  remove: {
    ...operations.editor('removeDestination', 'Removes a destination'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    response: Schema.responses(204, 'The destination was removed.'),
  },
}

interface DestinationDeps
  extends HealthDeps, UrlChecks, Pick<ChangeDeps, 'catalog' | 'clock' | 'wake'> {
  readonly lanes: HealthDeps['lanes'] & Pick<WebhookLanes, 'retryNow'>
  /** Reserved ports that webhook URLs may use all the same. */
  readonly allowedPorts: ReadonlySet<number>
}

const list = new List<Destination>('destinations', presentDestination)

/** `/destinations` and `/destinations/:id`. */
export function addDestinationRoutes(app: AdminApp, deps: DestinationDeps): void {
  addReading(app, deps)
  addChanging(app, deps)
  addRemoving(app, deps)
}

function addReading(app: AdminApp, deps: DestinationDeps): void {
  const { catalog } = deps
  app.get('/destinations', { schema: schemas.list }, ({ query }) => {
    const { destinations, destinationsBySource } = catalog.current
    const records =
      query.sourceId === undefined
        ? destinations.values()
        : (destinationsBySource.get(query.sourceId) ?? [])
    return list.page(query, (page) => pageOf(records, page))
  })

  app.get('/destinations/:id', { schema: schemas.get }, async ({ params }, reply) => {
    const destination = requireDestination(catalog, params.id)
    reply.header('etag', entityTag(destination.version))
    return {
      ...withWarnings(destination, urlWarnings(destination, deps)),
      health: await readDestinationHealth(destination, deps),
    }
  })
}

function addChanging(app: AdminApp, deps: DestinationDeps): void {
  const { catalog, clock, allowedPorts, lanes, wake } = deps
  // The response contains the faults of the body and of the settings, so the handler needs both.
  const attachValidation = true

  app.post(
    '/destinations',
    { schema: schemas.create, attachValidation },
    async (request, reply) => {
      const more = sourceFaults(catalog, request.body)
      const settings = requestedSettings(request, { more, allowedPorts })
      const { sourceId, type, name = 'Webhooks', enabled = false } = request.body
      const now = clock.wall()
      const destination: Destination = {
        id: newId('dst', now),
        sourceId,
        type,
        name,
        enabled,
        enabledChangedAt: now,
        paused: null,
        settings,
        createdAt: now,
        updatedAt: now,
        version: 1,
      }
      const location = `${app.prefix}/destinations/${destination.id}`
      const headers = { location, etag: entityTag(destination.version) }
      const body = withWarnings(destination, await hostWarnings([destination], deps))
      const made = { status: 201, headers, body } as const
      const entry = recordEntry(request, now, [null, destination], presentDestination)
      await catalog.putDestination(destination, withResponse(entry, made, request))
      return respondWith(made, reply)
    },
  )

  app.patch(
    '/destinations/:id',
    { schema: schemas.change, attachValidation },
    async (request, reply) => {
      const now = clock.wall()
      const changed = await changeDestination(request, catalog, now, (destination) => {
        const previous = destination.settings
        const settings = requestedSettings(request, { previous, allowedPorts })
        return withToggle({ ...destination, ...request.body, settings }, destination, now)
      })
      // Whatever was wrong with the webhook may be right now.
      await lanes.retryNow(lanesOf(changed))
      wake()
      reply.header('etag', entityTag(changed.version))
      return withWarnings(changed, await hostWarnings([changed], deps))
    },
  )
}

function addRemoving(app: AdminApp, { catalog, clock }: DestinationDeps): void {
  app.delete('/destinations/:id', { schema: schemas.remove }, async (request, reply) => {
    const destination = requireDestination(catalog, request.params.id)
    requireMatch(request.headers['if-match'], destination.version)
    const entry = recordEntry(request, clock.wall(), [destination, null], presentDestination)
    await catalog.removeDestination(destination.id, entry)
    return reply.code(204).send()
  })
}

function withWarnings(destination: Destination, warnings: readonly Fault[]): object {
  return { ...presentDestination(destination), ...(warnings.length > 0 && { warnings }) }
}

function sourceFaults({ current }: ChangeDeps['catalog'], body: unknown): readonly Fault[] {
  const sourceId = isJsonObject(body) ? body['sourceId'] : undefined
  if (typeof sourceId !== 'string' || current.sources.has(sourceId)) return []
  const hint = 'Give the id of an existing source.'
  return [fault('/sourceId', 'unknown_source', 'No source has this id.', hint)]
}

type Body = Pick<FastifyRequest, 'body' | 'validationError'>

/**
 * The settings in the body of a request; `previous` are the current settings of the destination.
 * @throws {Problem} `invalid_body` with all faults: of the body, of the settings, and `more`
 */
function requestedSettings(
  { body, validationError }: Body,
  {
    previous,
    more = [],
    allowedPorts,
  }: {
    readonly previous?: WebhooksSettings
    readonly more?: readonly Fault[]
    readonly allowedPorts: ReadonlySet<number>
  },
): WebhooksSettings {
  const bodyFaults = faultsIn(validationError)
  const fields = body ?? {}
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { faults: bodyFaults })
  const parsed = parseWebhooksSettings(fields['settings'], previous, allowedPorts)
  const faults = [...bodyFaults, ...more]
  if ('faults' in parsed) {
    faults.push(...parsed.faults.map((each) => ({ ...each, pointer: `/settings${each.pointer}` })))
  }
  if ('faults' in parsed || faults.length > 0) throw new Problem('invalid_body', { faults })
  return parsed.settings
}

/** The faults that the schema found, except those of the settings: their parser reports more about them. */
function faultsIn(error: Body['validationError']): readonly Fault[] {
  if (error === undefined || error === null) return []
  if (!(error instanceof Problem)) throw error
  return error.faults.filter(({ pointer }) => !/^\/settings(?:\/|$)/.test(pointer))
}
