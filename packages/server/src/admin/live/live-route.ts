import type { Actor } from '../access/authenticate.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { isExpired } from '../access/authenticate.ts'
import { liveSchema } from './live-schema.ts'
import { LiveStream } from './live-stream.ts'
import { Problem } from '../problems/problem.ts'

/** Connections at one time; each costs a little at everything that happens. */
const MOST_STREAMS = 100

/** `/live`: what happens, as it happens. */
export function addLiveRoute(app: AdminApp, deps: AdminDeps): void {
  const streams = new Set<LiveStream>()
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })

  app.get(
    '/live',
    { schema: liveSchema, exposeHeadRoute: false },
    async ({ query, headers, actor }, reply) => {
      if (streams.size >= MOST_STREAMS) {
        const detail = `There are ${MOST_STREAMS} readers of the live tail already.`
        throw new Problem('rate_limited', { detail, headers: { 'retry-after': '15' } })
      }
      const stream: LiveStream = new LiveStream({
        cursor: deps.live.read(query, headers['last-event-id']),
        response: reply.raw,
        clock: deps.clock,
        isAllowed: () => isValid(actor, deps),
        onClose: () => streams.delete(stream),
      })
      streams.add(stream)
      reply.hijack()
      stream.start()
      return reply
    },
  )
}

function isValid({ id }: Actor, { tokens, clock }: AdminDeps): boolean {
  if (id === 'admin-token') return true
  const token = tokens.current.get(id)
  return token !== undefined && !isExpired(token, clock.now())
}
