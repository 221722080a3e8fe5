import type { ChangeView } from '../../activity/change-feed.ts'
import { type LiveTopics, type Topic, TOPICS } from '../../activity/live-topics.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { Actor } from '../access/authenticate.ts'
import type { Openers } from '../access/openers.ts'
import { isRoleEnough, type RouteRoles } from '../access/roles.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { liveSchema } from './live-schema.ts'
import { LiveStream } from './live-stream.ts'
import { LiveStreams } from './live-streams.ts'
import { Problem } from '../problems/problem.ts'

/** The dependencies of the stream. */
interface LiveDeps {
  readonly live: LiveTopics
  /** The most connections. */
  readonly maxLiveStreams: number
  readonly openers: Openers
  readonly roles: RouteRoles
  readonly clock: Clock
  readonly logger: Logger
}

/** `/live`: what happens, as server-sent events. */
export function addLiveRoute(app: AdminApp, deps: LiveDeps): void {
  const { maxLiveStreams } = deps
  const streams = new LiveStreams(maxLiveStreams, deps)
  app.addHook('preClose', async () => streams.end())

  app.get(
    '/live',
    { schema: liveSchema, exposeHeadRoute: false },
    async ({ query, headers, actor }, reply) => {
      const { topics = 'activity', lastEventId, ...filter } = query
      const names = topicsOf(topics)
      // A browser that reconnects by itself has the id in the header, and an older one in the address.
      const lastId = headers['last-event-id'] ?? (lastEventId || undefined)
      // Disconnected meanwhile: nothing would close the stream.
      if (reply.raw.destroyed) return reply.hijack()
      if (!streams.makesRoomFor(actor)) {
        const detail = `The live tail has ${maxLiveStreams} readers already. The settings maxLiveStreams and maxOpenFiles allow more.`
        throw new Problem('rate_limited', { detail, headers: { 'retry-after': '15' } })
      }
      const stream: LiveStream = new LiveStream({
        actor,
        reader: deps.live.read({
          topics: names,
          filter,
          view: viewOf(actor, deps.roles),
          lastId,
        }),
        response: reply.raw,
        clock: deps.clock,
        isAllowed: () => deps.openers.isServed(actor.id, deps.clock.wall()),
        onClose: () => streams.remove(stream),
      })
      streams.add(stream)
      reply.hijack()
      stream.start()
      return reply
    },
  )
}

function topicsOf(list: string): ReadonlySet<Topic> {
  const names = list.split(',')
  return new Set(TOPICS.filter((topic) => names.includes(topic)))
}

/** Only changes of collections that the actor may read, and with their requests only for readers of the audit log. */
function viewOf({ role }: Actor, roles: RouteRoles): ChangeView {
  const mayRead = (resource: string): boolean => isRoleEnough(role, roles.of(`GET /${resource}`))
  return { isShown: mayRead, showsRequests: mayRead('audit') }
}
