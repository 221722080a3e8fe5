import { EVENT_TYPES } from '@hookline/protocol'
import Type from 'typebox'
import type { ChangeView } from '../activity/live-changes.ts'
import { type LiveTopics, TOPICS } from '../activity/live-topics.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import type { Actor } from './access/authenticate.ts'
import { includesRole, type RouteRoles } from './access/roles.ts'
import type { SessionTokens } from './access/tokens.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import { LiveStream, LiveStreams } from './live-streams.ts'
import { Problem } from './problems/problem.ts'

const only = (what: string) => Type.Optional(Type.String({ description: `Only ${what}.` }))

const TOPIC_LIST = `^(?:${TOPICS.join('|')})(?:,(?:${TOPICS.join('|')}))*$`

const schema = {
  ...Schema.operationsTagged('Live').viewer('watch', 'Streams activity and changes in real time'),
  description:
    'Server-sent events. The activity topic has messages named event, decision and attempt. An event with change entered, left or changed is about an audience or a computed trait, with its key as name. gap {"reason", "missed"} reports missing messages and their number, counted before filtering; missed is null if unknown. Reasons: reader_too_slow; lost: dropped between nodes; too_long_ago: the last id is too old, from another node, or from before a restart. GET /events and GET /deliveries show the missing activity. Reconnect with Last-Event-ID to continue after a lost connection; each node has its own ids, so another node begins with a gap. A comment is sent every 15 s.\n\nThe counts topic has a message named counts each second, with the numbers of received, rejected and duplicate calls (rejected includes calls for suppressed users), declined events (one for each destination), delivered and failed deliveries, retries, and pending deliveries. These messages have no id and are not resent.\n\nThe changes topic has a message named change {"at", "resource", "id"} for each changed record that the reader may read, including changes by Hookline itself, such as breakers, pauses, and progress of replays, syncs and deletions. resource is the collection in this API; id is null if several records changed. The admin role also sees action and actorId, as in the audit log; they are null for Hookline itself. A change with resource null means that changes were missed: reload everything. Up to 1,000 changes are stored for readers that reconnect.',
  querystring: Type.Object(
    {
      topics: Type.Optional(
        Type.String({
          pattern: TOPIC_LIST,
          maxLength: 100,
          description: `One or more of ${TOPICS.join(', ')}, separated by commas; activity if absent.`,
        }),
      ),
      lastEventId: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'For clients that cannot set the Last-Event-ID header, which takes precedence.',
        }),
      ),
      kind: Type.Optional(
        Schema.oneOf(['event', 'decision', 'attempt'], 'Only messages of this kind.'),
      ),
      sourceId: only('activity from this source'),
      destinationId: only(
        'decisions and attempts for this destination; messages named event are not filtered',
      ),
      type: Type.Optional(Schema.oneOf(EVENT_TYPES, `One of ${EVENT_TYPES.join(', ')}.`)),
      event: only('activity for track events, pages or screens with this name'),
      userId: only('activity from this user'),
    },
    { additionalProperties: false },
  ),
  headers: Type.Object({
    'last-event-id': Type.Optional(Schema.text('The id of the last received message.')),
  }),
  response: Schema.media(
    'text/event-stream',
    'The stream. It ends when the server stops, when the token or session ends, or to make room for another reader.',
    Type.String(),
  ),
}

interface LiveDeps {
  readonly live: LiveTopics
  readonly maxLiveStreams: number
  readonly sessionTokens: SessionTokens
  readonly roles: RouteRoles
  readonly clock: Clock
  readonly logger: Logger
}

/** `/live`: activity, counts and changes as server-sent events. */
export function addLiveRoute(app: AdminApp, deps: LiveDeps): void {
  const { maxLiveStreams } = deps
  const streams = new LiveStreams(deps)
  app.addHook('preClose', async () => streams.end())

  app.get('/live', { schema, exposeHeadRoute: false }, async ({ query, headers, actor }, reply) => {
    const { topics = 'activity', lastEventId, ...filter } = query
    const names = topics.split(',')
    // A reconnecting browser sends the id in the header, and an older id in the URL.
    const lastId = headers['last-event-id'] ?? (lastEventId || undefined)
    // The client has disconnected, so a stream that is opened now would never be closed.
    if (reply.raw.destroyed) return reply.hijack()
    if (!streams.makeRoomFor(actor)) {
      const detail = `The live tail already has the maximum of ${maxLiveStreams} readers. Raise maxLiveStreams and maxOpenFiles.`
      throw new Problem('rate_limited', { detail, headers: { 'retry-after': '15' } })
    }
    const stream: LiveStream = new LiveStream({
      actor,
      reader: deps.live.read({
        topics: new Set(TOPICS.filter((topic) => names.includes(topic))),
        filter,
        view: viewOf(actor, deps.roles),
        lastId,
      }),
      response: reply.raw,
      clock: deps.clock,
      isAllowed: () => deps.sessionTokens.isActorValid(actor.id, deps.clock.wall()),
      onClose: () => streams.remove(stream),
    })
    streams.add(stream)
    reply.hijack()
    stream.start()
    return reply
  })
}

/** Shows changes in the collections that the actor may read. Only readers of the audit log see who made a change. */
function viewOf({ role }: Actor, roles: RouteRoles): ChangeView {
  const mayRead = (resource: string): boolean => includesRole(role, roles.of(`GET /${resource}`))
  return { isShown: mayRead, showsRequests: mayRead('audit') }
}
