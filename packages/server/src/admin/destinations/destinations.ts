import { type Destination, formatTimestamp, isJsonObject, newId } from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { AuditEntry } from '../../backend/audit.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { type Fault, fault, faultsBelow } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import {
  changeRecord,
  entityTag,
  lanesOf,
  requireDestination,
  requireMatch,
} from '../api/catalog-records.ts'
import { List, pageOf } from '../api/list.ts'
import * as Schema from '../api/schema.ts'
import {
  type AuditedCatalog,
  type AuditedRequest,
  type ChangeDeps,
  recordEntry,
  type RecordRequest,
} from '../audit.ts'
import { respondWith, withResponse } from '../idempotency.ts'
import { Problem } from '../problems/problem.ts'
import { type HealthDeps, HealthResponse, readDestinationHealth } from './destination-health.ts'
import {
  parseWebhooksSettings,
  PauseResponse,
  presentPause,
  presentWebhooksSettings,
  SettingsRequest,
  SettingsResponse,
} from './settings.ts'
import { hostWarnings, type UrlChecks, urlWarnings, WarningsResponse } from './webhook-urls.ts'

/** The fields of a destination as the API shows it. */
const destinationFields = {
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
  readonly lanes: HealthDeps['lanes'] & Pick<WebhookLanes, 'order'>
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
      const settings = requestedSettings(request, allowedPorts, undefined, more)
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
        const settings = requestedSettings(request, allowedPorts, destination.settings)
        return withToggle({ ...destination, ...request.body, settings }, destination, now)
      })
      // Whatever was wrong with the webhook may be right now.
      await lanes.order({ order: 'retryNow', webhooks: lanesOf(changed) })
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

/**
 * The settings in the body of a request; `previous` are the current settings of the destination.
 * @throws {Problem} `invalid_body` with all faults: of the body, of the settings, and `more`
 */
function requestedSettings(
  { body, validationError }: Pick<FastifyRequest, 'body' | 'validationError'>,
  allowedPorts: ReadonlySet<number>,
  previous?: Destination['settings'],
  more: readonly Fault[] = [],
): Destination['settings'] {
  if (validationError && !(validationError instanceof Problem)) throw validationError
  // The parser of the settings reports more about them than the schema.
  const found = (validationError?.faults ?? []).filter(
    ({ pointer }) => !/^\/settings(?:\/|$)/.test(pointer),
  )
  const fields = body ?? {}
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { faults: found })
  const parsed = parseWebhooksSettings(fields['settings'], previous, allowedPorts)
  const invalid = 'faults' in parsed ? faultsBelow('/settings', parsed.faults) : []
  const faults = [...found, ...more, ...invalid]
  if ('faults' in parsed || faults.length > 0) throw new Problem('invalid_body', { faults })
  return parsed.settings
}

/** The destination as the API shows it. */
export function presentDestination(destination: Destination): object {
  const { settings, paused, createdAt, updatedAt, version, ...rest } = destination
  return {
    ...rest,
    enabledChangedAt: Schema.timeOrNull(rest.enabledChangedAt ?? null),
    paused: presentPause(paused),
    settings: presentWebhooksSettings(settings),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    version,
  }
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
