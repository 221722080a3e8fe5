import type { Source } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AuditEntry } from '../../backend/audit.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { type AuditedRequest, recordEntry } from '../audit/audit-entry.ts'
import { requireSource } from '../api/catalog-records.ts'
import { entityTag } from '../api/catalog-records.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { Problem } from '../problems/problem.ts'
import { changeRecord } from '../api/catalog-records.ts'
import { auditedSource, presentSource, sourceSchemas } from './source-schema.ts'
import { newWriteKey, presentWriteKey } from './write-key.ts'

type KeysRequest = AuditedRequest &
  Pick<FastifyRequest, 'headers'> & { readonly params: { readonly id: string } }
type Keys = Source['writeKeys']

/** `/sources/:id/write-keys`: add a key, let the clients change over, then remove the old key. */
export function addWriteKeyRoutes(app: AdminApp, { catalog, keyUses, clock }: AdminDeps): void {
  const shown = (source: Source): object => auditedSource(source, keyUses)
  const reviseKeys = (
    request: KeysRequest,
    change: (keys: Keys) => Keys,
    audited: (entry: AuditEntry, next: Source) => AuditEntry = (entry) => entry,
  ): Promise<Source> =>
    changeRecord<Source>({
      read: () => requireSource(catalog, request.params.id),
      change: (source) => ({ ...source, writeKeys: change(source.writeKeys) }),
      put: (next, previous) => {
        const entry = recordEntry(request, next.updatedAt, [previous, next], shown)
        return catalog.putSource(next, audited(entry, next))
      },
      now: clock.wall(),
      ifMatch: request.headers['if-match'],
    })

  app.post('/sources/:id/write-keys', { schema: sourceSchemas.addKey }, async (request, reply) => {
    const made = newWriteKey(clock.wall())
    const response = ({ id, version }: Source) => {
      const location = `${app.prefix}/sources/${id}/write-keys/${made.key}`
      const headers = { location, etag: entityTag(version) }
      return { status: 201, headers, body: presentWriteKey(made, keyUses) } as const
    }
    const source = await reviseKeys(
      request,
      (keys) => [...keys, made],
      (entry, next) => withResponse(entry, response(next), request),
    )
    return respondWith(response(source), reply)
  })

  app.delete(
    '/sources/:id/write-keys/:key',
    { schema: sourceSchemas.removeKey },
    async (request, reply) => {
      const { key } = request.params
      const source = await reviseKeys(request, (keys) => {
        if (keys.some((each) => each.key === key)) return keys.filter((each) => each.key !== key)
        throw new Problem('not_found', { detail: 'The source has no such write key.' })
      })
      reply.header('etag', entityTag(source.version))
      return presentSource(source, keyUses)
    },
  )
}
