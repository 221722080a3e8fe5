import type { Destination } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { type AuditedRequest, recordEntry } from '../audit/audit-entry.ts'
import { lanesOf, requireDestination } from '../api/catalog-records.ts'
import { destinationSchemas, presentDestination } from './destination-schema.ts'
import { entityTag, requireMatch } from '../api/catalog-records.ts'
import { changeRecord } from '../api/catalog-records.ts'

type PauseRequest = AuditedRequest &
  Pick<FastifyRequest, 'headers'> & { readonly params: { readonly id: string } }

/** `/destinations/:id/pause` and `/resume`. Both are idempotent. */
export function addPauseRoutes(
  app: AdminApp,
  { catalog, audit, clock, lanes, wake }: AdminDeps,
): void {
  const reviseOnce = async (
    request: PauseRequest,
    isDone: (destination: Destination) => boolean,
    change: (destination: Destination) => Destination,
  ): Promise<Destination> => {
    const read = (): Destination => requireDestination(catalog, request.params.id)
    const ifMatch = request.headers['if-match']
    const current = read()
    requireMatch(ifMatch, current.version)
    const now = clock.wall()
    if (isDone(current)) {
      await audit.append(recordEntry(request, now, [current, current], presentDestination))
      return current
    }
    return changeRecord<Destination>({
      read,
      change,
      put: (next, previous) =>
        catalog.putDestination(
          next,
          recordEntry(request, next.updatedAt, [previous, next], presentDestination),
        ),
      now,
      ifMatch,
    })
  }

  app.post(
    '/destinations/:id/pause',
    { schema: destinationSchemas.pause },
    async (request, reply) => {
      const paused = { since: clock.wall(), reason: 'operator' } as const
      const changed = await reviseOnce(
        request,
        (destination) => destination.paused !== null,
        (destination) => ({ ...destination, paused: destination.paused ?? paused }),
      )
      reply.header('etag', entityTag(changed.version))
      return presentDestination(changed)
    },
  )

  app.post(
    '/destinations/:id/resume',
    { schema: destinationSchemas.resume },
    async (request, reply) => {
      const changed = await reviseOnce(request, isRunning, resumed)
      await lanes.retryNow(lanesOf(changed))
      wake()
      reply.header('etag', entityTag(changed.version))
      return presentDestination(changed)
    },
  )
}

/** `/destinations/:id/close-breaker`. */
export function addCloseBreakerRoute(
  app: AdminApp,
  { catalog, audit, clock, lanes }: AdminDeps,
): void {
  app.post(
    '/destinations/:id/close-breaker',
    { schema: destinationSchemas.closeBreaker },
    async (request, reply) => {
      const destination = requireDestination(catalog, request.params.id)
      // Before the change: the backend cannot keep the breaker, which is in memory, and the entry together.
      const unchanged = [destination, destination] as const
      await audit.append(recordEntry(request, clock.wall(), unchanged, presentDestination))
      await lanes.closeBreakers(lanesOf(destination))
      reply.header('etag', entityTag(destination.version))
      return presentDestination(destination)
    },
  )
}

function isRunning({ paused, settings }: Destination): boolean {
  return paused === null && settings.webhooks.every((webhook) => webhook.paused === undefined)
}

function resumed(destination: Destination): Destination {
  const { settings } = destination
  const webhooks = settings.webhooks.map(({ paused: _, ...webhook }) => webhook)
  return { ...destination, paused: null, settings: { ...settings, webhooks } }
}
