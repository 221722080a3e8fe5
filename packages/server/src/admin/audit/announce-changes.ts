import type { ChangeFeed } from '../../activity/change-feed.ts'
import type { AuditEntry } from '../../backend/audit.ts'
import type { AdminApp } from '../api/admin-app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The audit entries of the request. */
    audited: AuditEntry[]
  }
}

/** Tells the readers of the stream what each successful request has changed. */
export function announceChanges(app: AdminApp, feed: ChangeFeed): void {
  app.decorateRequest('audited')
  app.addHook('onRequest', async (request) => {
    request.audited = []
  })
  app.addHook('onResponse', async ({ audited, routeOptions }, { statusCode }) => {
    if (statusCode >= 400) return
    const path = (routeOptions.url ?? '').slice(app.prefix.length)
    for (const entry of audited) feed.requested(changeOf(entry, path))
  })
}

function changeOf({ targetId, action, actor }: AuditEntry, path: string) {
  const resource = path.split('/')[1] ?? ''
  // A suppression has no id of its own: its target is the id of a user, which must not outlive the user here.
  const id = resource === 'suppressions' ? null : targetId
  return { resource, id, action, actorId: actor.id }
}
