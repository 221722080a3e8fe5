import { EVENT_TYPES } from '@hookline/protocol'
import Type from 'typebox'
import type { ChangeView } from '../activity/change-feed.ts'
import { type LiveTopics, type Topic, TOPICS } from '../activity/live-topics.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import type { Actor } from './access/authenticate.ts'
import { isRoleEnough, type RouteRoles } from './access/roles.ts'
import type { Openers } from './access/tokens.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import { LiveStream, LiveStreams } from './live-streams.ts'
import { Problem } from './problems/problem.ts'

const only = (what: string) => Type.Optional(Type.String({ description: `Only ${what}.` }))

/** Each topic at least once, in any order. */
const TOPIC_LIST = `^(?:${TOPICS.join('|')})(?:,(?:${TOPICS.join('|')}))*$`

const schema = {
  ...Schema.operationsTagged('Live').viewer('watch', 'Streams what happens, as it happens'),
  description:
    'Server-sent events. The topic activity has messages named event, decision and attempt. An event with change entered, left or changed tells of an audience or a computed trait, whose key is its name. gap {"reason", "missed"} reports that messages are missing here, and how many, including ones that the filters exclude; missed is null if their number is unknown. The reader was too slow (reader_too_slow), or they got lost between nodes (lost), or they are no longer kept, or were sent by another node or before a restart (too_long_ago). GET /events and GET /deliveries show what was missed. An id has no meaning for the reader. Reconnect with Last-Event-ID to continue where the connection broke; each node has its own ids, so another node begins with a gap. A comment is sent every 15 s.\n\nThe topic counts has a message named counts each second: how many calls were received, refused, duplicates and declined, how many deliveries were delivered or failed, how many attempts will be retried, and how many deliveries are pending. They have no id and are not sent again.\n\nThe topic changes has a message named change {"at", "resource", "id"} for each change of a record that the reader may read, made by a request or by Hookline itself: a breaker opens or closes, a webhook is paused, a replay, sync or deletion goes on. resource is the collection of this API; id is null where it is not one record. With the role admin it has action and actorId, as in the audit log; they are null for what Hookline did itself. A change with resource null says that changes were missed: read everything again. Up to 1,000 changes are kept for readers that reconnect.',
  querystring: Type.Object(
    {
      topics: Type.Optional(
        Type.String({
          pattern: TOPIC_LIST,
          maxLength: 100,
          description: `What to send: one or more of ${TOPICS.join(', ')}, separated by commas; activity if absent.`,
        }),
      ),
      lastEventId: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'The id of the last message, for a client that cannot set headers. Last-Event-ID goes before it.',
        }),
      ),
      kind: Type.Optional(
        Type.Enum(['event', 'decision', 'attempt'], {
          description: 'Only event, only decision, or only attempt.',
        }),
      ),
      sourceId: only('activity of this source'),
      destinationId: only('events, and the decisions and attempts of this destination'),
      type: Type.Optional(
        Type.Enum([...EVENT_TYPES], { description: `One of ${EVENT_TYPES.join(', ')}.` }),
      ),
      event: only('activity of track events, pages or screens with this name'),
      userId: only('activity of this user'),
    },
    { additionalProperties: false },
  ),
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'The id of the last message that the client received.' }),
    ),
  }),
  response: Schema.media(
    'text/event-stream',
    'The stream. It ends when the server stops, when the token or session is removed or expires, or when it has to give way to another reader.',
    Type.String(),
  ),
}

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

  app.get('/live', { schema, exposeHeadRoute: false }, async ({ query, headers, actor }, reply) => {
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
  })
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
