import type { Destination } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { requireDestination } from '../api/catalog-records.ts'
import { destinationSchemas, presentDestination } from './destination-schema.ts'
import { entityTag, requireMatch } from '../api/catalog-records.ts'
import { changeRecord } from '../api/catalog-records.ts'

type PauseRequest = Pick<FastifyRequest, 'headers'> & { readonly params: { readonly id: string } }

/** `/destinations/:id/pause` and `/resume`. Both are idempotent. */
export function addPauseRoutes(app: AdminApp, { catalog, clock }: AdminDeps): void {
  const reviseOnce = async (
    { params, headers }: PauseRequest,
    isDone: (destination: Destination) => boolean,
    change: (destination: Destination) => Destination,
  ): Promise<Destination> => {
    const read = (): Destination => requireDestination(catalog, params.id)
    const ifMatch = headers['if-match']
    requireMatch(ifMatch, read().version)
    if (isDone(read())) return read()
    const put = (next: Destination): Promise<void> => catalog.putDestination(next)
    return changeRecord<Destination>({ read, change, put, now: clock.now(), ifMatch })
  }

  app.post(
    '/destinations/:id/pause',
    { schema: destinationSchemas.pause },
    async (request, reply) => {
      const paused = { since: clock.now(), reason: 'operator' } as const
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
      reply.header('etag', entityTag(changed.version))
      return presentDestination(changed)
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
