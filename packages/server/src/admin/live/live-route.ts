import type { Actor } from '../access/authenticate.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { isExpired } from '../access/authenticate.ts'
import { liveSchema } from './live-schema.ts'
import { LiveStream } from './live-stream.ts'
import { Problem } from '../problems/problem.ts'

/** The maximum number of connections: each costs a little time for every activity. */
const MAX_STREAMS = 100

/** `/live`: the live tail, as server-sent events. */
export function addLiveRoute(app: AdminApp, deps: AdminDeps): void {
  const streams = new Set<LiveStream>()
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })

  app.get(
    '/live',
    { schema: liveSchema, exposeHeadRoute: false },
    async ({ query, headers, actor }, reply) => {
      if (streams.size >= MAX_STREAMS) {
        const detail = `The live tail has ${MAX_STREAMS} readers already.`
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
