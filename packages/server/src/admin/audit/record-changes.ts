import { isJsonObject, newId } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { auditedState, targetOf } from './audited-state.ts'
import { isRepeatedResponse } from '../idempotency/repeat-responses.ts'

type Deps = Pick<AdminDeps, 'catalog' | 'keyUses' | 'tokens' | 'audit' | 'clock'>

/**
 * Adds hooks that write an audit entry for each successful change, before the response is sent. They apply
 * to every route of `app`, also to routes that are added later.
 *
 * The entry is a separate write after the change, not part of its transaction: otherwise every port with a
 * change would have to carry the entry. So every change that a client saw succeed is in the log; if the
 * entry cannot be written, the response is an error. If the process is killed in the milliseconds between
 * the two writes, the change has no entry and the client got no response. A repeated request then writes an
 * entry whose `before` already contains the change.
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
