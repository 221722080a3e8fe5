import {
  BUILT_IN_SOURCE_ID,
  type Destination,
  formatTimestamp,
  isJsonObject,
  newId,
  type PresentedLimits,
  type Source,
} from '@hookline/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import Type from 'typebox'
import { builtInSource } from '../../alerts/alert-event.ts'
import type { AuditEntry } from '../../backend/audit.ts'
import { CatalogConflictError, type CatalogSnapshot } from '../../backend/catalog.ts'
import type { WebhookLanes } from '../../backend/deliveries.ts'
import { type FieldError, fieldError, errorsBelow } from '../../util/field-error.ts'
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
import { type AuditedRequest, type ChangeDeps, recordEntry, type RecordRequest } from '../audit.ts'
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
  type SettingsRules,
} from './settings.ts'
import { EffectiveLimitsResponse, presentEffectiveLimits } from './webhook-limits.ts'
import { destinationWarnings, type WarningDeps, WarningsResponse } from './warnings.ts'

const destinationFields = {
  id: Type.String(),
  sourceId: Schema.text('The id of the source whose events the destination receives.'),
  type: Schema.oneOf(['Webhooks'], 'Always Webhooks.'),
  name: Schema.name,
  enabled: Schema.boolean('Events that arrive while enabled is false are not delivered.'),
  enabledChangedAt: Schema.nullable(
    Schema.timeOf(
      'When the destination was created, or last enabled or disabled. null if unknown.',
    ),
  ),
  paused: PauseResponse,
  settings: SettingsResponse,
  createdAt: Schema.time,
  updatedAt: Schema.time,
  version: Schema.version,
  warnings: Type.Optional(WarningsResponse),
}

const DestinationResponse = Type.Object(destinationFields, { $id: 'Destination' })

export const operations = Schema.operationsTagged('Destinations')

export const oneDestination = (status: 200 | 201) =>
  Schema.versionedResponses(status, 'The destination.', Schema.ref(DestinationResponse))

const optional = {
  name: Type.Optional(Schema.name),
  enabled: Type.Optional(destinationFields.enabled),
}

const CreateDestinationRequest = Schema.strictObject({
  sourceId: destinationFields.sourceId,
  type: destinationFields.type,
  ...optional,
  settings: SettingsRequest,
})

const IMMUTABLE = 'Omit it. To change it, create a new destination and delete this one.'

const ChangeDestinationRequest = Type.Object(
  { ...optional, settings: Type.Optional(SettingsRequest) },
  {
    additionalProperties: false,
    'x-immutable': {
      ...Schema.IMMUTABLE_FIELDS,
      enabledChangedAt: 'Omit it: the server sets it.',
      sourceId: IMMUTABLE,
      type: IMMUTABLE,
      paused: 'Use POST /destinations/:id/pause or /resume.',
    },
  },
)

const schemas = {
  list: {
    ...operations.viewer('listDestinations', 'Lists destinations, oldest first'),
    querystring: Schema.strictObject({
      ...Schema.listQuery,
      sourceId: Type.Optional(destinationFields.sourceId),
    }),
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
      'The destination, its health and its limits.',
      Type.Object({
        ...destinationFields,
        health: HealthResponse,
        effectiveLimits: EffectiveLimitsResponse,
      }),
    ),
  },
  change: {
    ...operations.editor('changeDestination', 'Changes a destination'),
    description:
      'Fields in the body replace the current values, including fields within settings. Absent fields are not changed.',
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    body: ChangeDestinationRequest,
    response: oneDestination(200),
  },
  remove: {
    ...operations.editor('removeDestination', 'Deletes a destination'),
    params: Schema.IdParams,
    headers: Schema.IfMatchHeaders,
    response: Schema.responses(204, 'The destination was deleted.'),
  },
}

interface DestinationDeps
  extends
    HealthDeps,
    WarningDeps,
    SettingsRules,
    Pick<ChangeDeps, 'catalog' | 'audit' | 'clock' | 'wake'> {
  readonly lanes: HealthDeps['lanes'] & Pick<WebhookLanes, 'command'>
  readonly serviceLimits: PresentedLimits
}

const list = new List<Destination>('destinations', presentDestination)

export function addDestinationRoutes(app: AdminApp, deps: DestinationDeps): void {
  const { catalog, clock } = deps

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
    // Makes no DNS lookups.
    const hostProblem = async (host: string) =>
      isIP(host) === 0 && host !== 'localhost' ? undefined : deps.hostProblem(host)
    return {
      ...withWarnings(
        destination,
        await destinationWarnings([destination], { ...deps, hostProblem }),
      ),
      health: await readDestinationHealth(destination, deps),
      effectiveLimits: presentEffectiveLimits(destination.settings.webhooks, deps.serviceLimits),
    }
  })

  app.delete('/destinations/:id', { schema: schemas.remove }, async (request, reply) => {
    const destination = requireDestination(catalog, request.params.id)
    requireMatch(request.headers['if-match'], destination.version)
    const entry = recordEntry(request, clock.wall(), [destination, null], presentDestination)
    await catalog.removeDestination(destination.id, entry)
    return reply.code(204).send()
  })

  addChanges(app, deps)
}

function addChanges(app: AdminApp, deps: DestinationDeps): void {
  const { catalog, audit, clock, lanes, wake } = deps
  // The handlers add the errors in the settings.
  const attachValidation = true
  const create = { schema: schemas.create, attachValidation }
  const change = { schema: schemas.change, attachValidation }

  app.post('/destinations', create, async (request, reply) => {
    const more = sourceErrors(catalog.current, request.body)
    const settings = requestedSettings(request, deps, undefined, more)
    const fields = { name: 'Webhooks', enabled: false, ...request.body, settings }
    const created = await createDestination(request, fields, { ...deps, prefix: app.prefix })
    return respondWith(created, reply)
  })

  app.patch('/destinations/:id', change, async (request, reply) => {
    const now = clock.wall()
    const changed = await changeDestination(request, { catalog, audit, now }, (destination) => {
      const settings = requestedSettings(request, deps, destination.settings)
      return withEnabledChangedAt({ ...destination, ...request.body, settings }, destination, now)
    })
    // The change may have fixed the webhook.
    await lanes.command({ command: 'retryNow', webhooks: lanesOf(changed) })
    wake()
    reply.header('etag', entityTag(changed.version))
    return withWarnings(changed, await destinationWarnings([changed], deps))
  })
}

/** Creates a destination, and the built-in source with its first one. Returns the response. */
export async function createDestination(
  request: FastifyRequest,
  fields: Pick<Destination, 'sourceId' | 'type' | 'name' | 'enabled' | 'settings'>,
  deps: WarningDeps & Pick<ChangeDeps, 'catalog' | 'clock'> & { readonly prefix: string },
) {
  const { catalog, clock, prefix } = deps
  const now = clock.wall()
  const destination: Destination = {
    id: newId('dst', now),
    ...fields,
    enabledChangedAt: now,
    paused: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  }
  const location = `${prefix}/destinations/${destination.id}`
  const headers = { location, etag: entityTag(destination.version) }
  const body = withWarnings(destination, await destinationWarnings([destination], deps))
  const response = { status: 201, headers, body } as const
  const entry = recordEntry(request, now, [null, destination], presentDestination)
  const audited = withResponse(entry, response, request)
  const put = (): Promise<void> => {
    const sources = missingSources([destination], catalog.current, now)
    return catalog.putAll({ sources, destinations: [destination] }, audited)
  }
  // Another request may have just created the built-in source.
  await put().catch((error: unknown) => {
    if (error instanceof CatalogConflictError) return put()
    throw error
  })
  return response
}

/** The built-in source, if a destination needs it and it does not exist. */
export function missingSources(
  destinations: readonly Pick<Destination, 'sourceId'>[],
  { sources }: CatalogSnapshot,
  now: number,
): Source[] {
  const isNeeded = destinations.some(({ sourceId }) => sourceId === BUILT_IN_SOURCE_ID)
  return isNeeded && !sources.has(BUILT_IN_SOURCE_ID) ? [builtInSource(now)] : []
}

/** The destination as the API returns it, with its warnings. */
export function withWarnings(destination: Destination, warnings: readonly FieldError[]): object {
  return { ...presentDestination(destination), ...(warnings.length > 0 && { warnings }) }
}

export function sourceErrors({ sources }: CatalogSnapshot, body: unknown): readonly FieldError[] {
  const sourceId = isJsonObject(body) ? body['sourceId'] : undefined
  if (typeof sourceId !== 'string' || sources.has(sourceId)) return []
  if (sourceId === BUILT_IN_SOURCE_ID) return []
  const hint = 'Use the id of an existing source.'
  return [fieldError('/sourceId', 'unknown_source', 'No source has this id.', hint)]
}

/**
 * The settings in the body of a request. `previous`: the stored settings, absent for a new destination.
 * @throws {Problem} `invalid_body` with the errors in the body and the settings, and `more`
 */
function requestedSettings(
  { body, validationError }: Pick<FastifyRequest, 'body' | 'validationError'>,
  rules: SettingsRules & Pick<ChangeDeps, 'clock'>,
  previous?: Destination['settings'],
  more: readonly FieldError[] = [],
): Destination['settings'] {
  if (validationError && !(validationError instanceof Problem)) throw validationError
  // parseWebhooksSettings reports the errors in the settings.
  const bodyErrors = (validationError?.errors ?? []).filter(
    ({ pointer }) => !/^\/settings(?:\/|$)/.test(pointer),
  )
  const fields = body ?? {}
  if (!isJsonObject(fields)) throw new Problem('invalid_body', { errors: bodyErrors })
  const options = { ...rules, now: rules.clock.wall() }
  const parsed = parseWebhooksSettings(fields['settings'], previous, options)
  const invalid = 'errors' in parsed ? errorsBelow('/settings', parsed.errors) : []
  const errors = [...bodyErrors, ...more, ...invalid]
  if ('errors' in parsed || errors.length > 0) throw new Problem('invalid_body', { errors })
  return parsed.settings
}

/** The destination as the API returns it. */
export function presentDestination(destination: Destination): object {
  const { settings, paused, createdAt, updatedAt, enabledChangedAt = null } = destination
  return {
    ...destination,
    enabledChangedAt: Schema.timeOrNull(enabledChangedAt),
    paused: presentPause(paused),
    settings: presentWebhooksSettings(settings),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  }
}

/**
 * Changes a destination unless `isDone`. Either way, there is an audit entry; `complete` may add
 * the response to it.
 */
export function changeDestination(
  request: RecordRequest,
  {
    catalog,
    audit,
    now,
    isDone,
    complete = (entry) => entry,
  }: Pick<ChangeDeps, 'catalog' | 'audit'> & {
    readonly now: number
    readonly isDone?: (destination: Destination) => boolean
    readonly complete?: (entry: AuditEntry, next: Destination) => AuditEntry
  },
  change: (destination: Destination) => Destination,
): Promise<Destination> {
  return changeRecord<Destination>({
    read: () => requireDestination(catalog, request.params.id),
    isDone,
    change,
    put: (next, previous) => {
      const entry = recordEntry(request, now, [previous, next], presentDestination)
      return next === previous
        ? audit.append(entry)
        : catalog.putDestination(next, complete(entry, next))
    },
    now,
    ifMatch: request.headers['if-match'],
  })
}

/** The audit entry of a request that leaves the record of the destination unchanged. */
export function unchangedEntry(request: AuditedRequest, record: Destination, now: number) {
  return recordEntry(request, now, [record, record], presentDestination)
}

export function respondWithDestination(destination: Destination, reply: FastifyReply): object {
  reply.header('etag', entityTag(destination.version))
  return presentDestination(destination)
}

/** Sets `enabledChangedAt` if this change created, enabled or disabled the destination. */
export function withEnabledChangedAt(
  changed: Destination,
  before: Destination | undefined,
  now: number,
) {
  return changed.enabled === before?.enabled ? changed : { ...changed, enabledChangedAt: now }
}
