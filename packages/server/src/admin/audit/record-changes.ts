import { isJsonObject, newId } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { auditedState, targetOf } from './audited-state.ts'
import { isRepeatedResponse } from '../idempotency/repeat-responses.ts'

type Deps = Pick<AdminDeps, 'catalog' | 'keyUses' | 'tokens' | 'audit' | 'clock'>

/**
 * Keeps an audit entry of each change that succeeded, before its answer goes out: every route of `app`,
 * also one added later, without doing anything for it.
 *
 * The entry is a write of its own behind that of the change, not part of its transaction: for that, every
 * port that changes anything would have to carry it. So who was answered a success is in the log; where
 * the entry cannot be kept, the answer says that it failed. A kill in the milliseconds between the two
 * leaves a change without its entry, of which nobody was told that it succeeded; whoever asks again leaves
 * one, with the change of before as `before`.
 */
export function recordChanges(app: AdminApp, prefix: string, deps: Deps): void {
  const before = new WeakMap<FastifyRequest, object | null>()
  const pathOf = ({ routeOptions }: FastifyRequest): string =>
    (routeOptions.url ?? '').slice(prefix.length)

  app.addHook('preHandler', async (request) => {
    if (!isChange(request)) return
    before.set(request, auditedState(deps, pathOf(request), targetOf(request.params, undefined)))
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode >= 300 || !isChange(request) || isRepeatedResponse(reply)) return
    const { id, name, role } = request.actor
    const targetId = targetOf(request.params, payload)
    const at = deps.clock.now()
    await deps.audit.append({
      id: newId('aud', at),
      at,
      actor: { id, name, role },
      action: operationOf(request),
      targetId,
      before: before.get(request) ?? null,
      after: auditedState(deps, pathOf(request), targetId),
      requestId: request.id,
    })
  })
}

function isChange({ method, query, body }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return ![query, body].some(
    (part) => isJsonObject(part) && [true, 'true'].includes(part['dryRun'] as never),
  )
}

function operationOf({ routeOptions: { schema, url, method } }: FastifyRequest): string {
  const { operationId } = (schema ?? {}) as { operationId?: string }
  return operationId ?? `${String(method)} ${url}`
}
