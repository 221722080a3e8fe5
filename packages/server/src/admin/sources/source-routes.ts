import { newId, type Source } from '@hookline/protocol'
import type { FastifyReply } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { auditEntry, auditedRecords, recordEntry } from '../audit/audit-entry.ts'
import { requireSource } from '../api/catalog-records.ts'
import { entityTag, requireMatch } from '../api/catalog-records.ts'
import { presentDestination } from '../destinations/destination-schema.ts'
import { List, pageOf } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { changeRecord } from '../api/catalog-records.ts'
import { auditedSource, presentSource, sourceSchemas } from './source-schema.ts'
import { newWriteKey } from './write-key.ts'

/** `/sources` and `/sources/:id`. */
export function addSourceRoutes(app: AdminApp, { catalog, keyUses, clock }: AdminDeps): void {
  const list = new List<Source>('sources', (source) => presentSource(source, keyUses))
  const shown = (source: Source): object => auditedSource(source, keyUses)
  const respond = (source: Source, reply: FastifyReply): object => {
    reply.header('etag', entityTag(source.version))
    return presentSource(source, keyUses)
  }

  app.get('/sources', { schema: sourceSchemas.list }, ({ query }) =>
    list.page(query, (page) => pageOf(catalog.current.sources.values(), page)),
  )

  app.post('/sources', { schema: sourceSchemas.create }, async (request, reply) => {
    const now = clock.wall()
    const source = {
      id: newId('src', now),
      enabled: true,
      rateLimit: null,
      ...request.body,
      writeKeys: [newWriteKey(now)],
      createdAt: now,
      updatedAt: now,
      version: 1,
    }
    const location = `${app.prefix}/sources/${source.id}`
    const headers = { location, etag: entityTag(source.version) }
    const made = { status: 201, headers, body: presentSource(source, keyUses) } as const
    const entry = recordEntry(request, now, [null, source], shown)
    await catalog.putSource(source, withResponse(entry, made, request))
    return respondWith(made, reply)
  })

  app.get('/sources/:id', { schema: sourceSchemas.get }, async ({ params }, reply) =>
    respond(requireSource(catalog, params.id), reply),
  )

  app.patch('/sources/:id', { schema: sourceSchemas.change }, async (request, reply) => {
    const changed = await changeRecord<Source>({
      read: () => requireSource(catalog, request.params.id),
      change: (source) => ({ ...source, ...request.body }),
      put: (next, previous) =>
        catalog.putSource(next, recordEntry(request, next.updatedAt, [previous, next], shown)),
      now: clock.wall(),
      ifMatch: request.headers['if-match'],
    })
    return respond(changed, reply)
  })

  app.delete('/sources/:id', { schema: sourceSchemas.remove }, async (request, reply) => {
    const source = requireSource(catalog, request.params.id)
    requireMatch(request.headers['if-match'], source.version)
    const removed = catalog.current.destinationsBySource.get(source.id) ?? []
    const destinations = auditedRecords(removed, presentDestination)
    const change = { targetId: source.id, before: { ...shown(source), destinations }, after: null }
    await catalog.removeSource(source.id, auditEntry(request, clock.wall(), change))
    return reply.code(204).send()
  })
}
