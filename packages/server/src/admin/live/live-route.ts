import type { Actor } from '../access/authenticate.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { isValid } from '../tokens/token.ts'
import { liveSchema } from './live-schema.ts'
import { LiveStream } from './live-stream.ts'
import { LiveStreams } from './live-streams.ts'
import { Problem } from '../problems/problem.ts'

/** `/live`: the live tail, as server-sent events. */
export function addLiveRoute(app: AdminApp, deps: AdminDeps): void {
  const { maxLiveStreams } = deps
  const streams = new LiveStreams(maxLiveStreams, deps)
  app.addHook('preClose', async () => streams.end())

  app.get(
    '/live',
    { schema: liveSchema, exposeHeadRoute: false },
    async ({ query, headers, actor }, reply) => {
      if (!streams.makesRoomFor(actor.id)) {
        const detail = `The live tail has ${maxLiveStreams} readers already. The settings maxLiveStreams and maxOpenFiles allow more.`
        throw new Problem('rate_limited', { detail, headers: { 'retry-after': '15' } })
      }
      const stream: LiveStream = new LiveStream({
        actorId: actor.id,
        cursor: deps.live.read(query, headers['last-event-id']),
        response: reply.raw,
        clock: deps.clock,
        isAllowed: () => isStillValid(actor, deps),
        onClose: () => streams.remove(stream),
      })
      streams.add(stream)
      reply.hijack()
      stream.start()
      return reply
    },
  )
}

function isStillValid({ id }: Actor, { tokens, clock }: AdminDeps): boolean {
  if (id === 'admin-token' || id === 'this-machine') return true
  const token = tokens.current.get(id)
  return token !== undefined && isValid(token, tokens, clock.wall())
}
