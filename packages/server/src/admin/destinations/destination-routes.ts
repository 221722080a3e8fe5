import { type Destination, isJsonObject, newId } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import type { Catalog } from '../../backend/catalog.ts'
import { type Fault, fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { lanesOf, requireDestination } from '../api/catalog-records.ts'
import { requestedSettings } from './destination-body.ts'
import { readDestinationHealth } from './destination-health.ts'
import { destinationSchemas, presentDestination } from './destination-schema.ts'
import { entityTag, requireMatch } from '../api/catalog-records.ts'
import { withToggle } from './toggle.ts'
import { hostWarnings, urlWarnings } from './url-warnings.ts'
import { List, pageOf } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { changeRecord } from '../api/catalog-records.ts'

const list = new List<Destination>('destinations', presentDestination)

/** `/destinations` and `/destinations/:id`. */
export function addDestinationRoutes(app: AdminApp, deps: AdminDeps): void {
  addReading(app, deps)
  addChanging(app, deps)
  addRemoving(app, deps)
}

function addReading(app: AdminApp, deps: AdminDeps): void {
  const { catalog } = deps
  app.get('/destinations', { schema: destinationSchemas.list }, ({ query }) => {
    const { destinations, destinationsBySource } = catalog.current
    const records =
      query.sourceId === undefined
        ? destinations.values()
        : (destinationsBySource.get(query.sourceId) ?? [])
    return list.page(query, (page) => pageOf(records, page))
  })

  app.get('/destinations/:id', { schema: destinationSchemas.get }, async ({ params }, reply) => {
    const destination = requireDestination(catalog, params.id)
    return {
      ...respond(destination, reply, urlWarnings(destination, deps)),
      health: await readDestinationHealth(destination, deps),
    }
  })
}

function addChanging(app: AdminApp, deps: AdminDeps): void {
  const { catalog, clock, allowedPorts, lanes, wake } = deps
  // The response contains the faults of the body and of the settings, so the handler needs both.
  const attachValidation = true

  app.post(
    '/destinations',
    { schema: destinationSchemas.create, attachValidation },
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
    { schema: destinationSchemas.change, attachValidation },
    async (request, reply) => {
      const now = clock.wall()
      const changed = await changeRecord<Destination>({
        read: () => requireDestination(catalog, request.params.id),
        change: (destination) => {
          const previous = destination.settings
          const settings = requestedSettings(request, { previous, allowedPorts })
          return withToggle({ ...destination, ...request.body, settings }, destination, now)
        },
        put: (next, previous) =>
          catalog.putDestination(
            next,
            recordEntry(request, next.updatedAt, [previous, next], presentDestination),
          ),
        now,
        ifMatch: request.headers['if-match'],
      })
      // Whatever was wrong with the webhook may be right now.
      await lanes.retryNow(lanesOf(changed))
      wake()
      return respond(changed, reply, await hostWarnings([changed], deps))
    },
  )
}

function addRemoving(app: AdminApp, { catalog, clock }: AdminDeps): void {
  app.delete('/destinations/:id', { schema: destinationSchemas.remove }, async (request, reply) => {
    const destination = requireDestination(catalog, request.params.id)
    requireMatch(request.headers['if-match'], destination.version)
    const entry = recordEntry(request, clock.wall(), [destination, null], presentDestination)
    await catalog.removeDestination(destination.id, entry)
    return reply.code(204).send()
  })
}

function respond(
  destination: Destination,
  reply: FastifyReply,
  warnings: readonly Fault[],
): object {
  reply.header('etag', entityTag(destination.version))
  return withWarnings(destination, warnings)
}

function withWarnings(destination: Destination, warnings: readonly Fault[]): object {
  return { ...presentDestination(destination), ...(warnings.length > 0 && { warnings }) }
}

function sourceFaults({ current }: Pick<Catalog, 'current'>, body: unknown): readonly Fault[] {
  const sourceId = isJsonObject(body) ? body['sourceId'] : undefined
  if (typeof sourceId !== 'string' || current.sources.has(sourceId)) return []
  const hint = 'Give the id of an existing source.'
  return [fault('/sourceId', 'unknown_source', 'No source has this id.', hint)]
}
