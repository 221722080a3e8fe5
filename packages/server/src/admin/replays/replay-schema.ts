import { EVENT_TYPES } from '@hookline/protocol'
import Type from 'typebox'
import type { Replay, ReplayableState } from '../../backend/replays.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import {
  EmptyBody,
  IdParams,
  nullable,
  timeOrNull,
  time,
  operationsTagged,
} from '../api/schema-parts.ts'

const REPLAYABLE = [
  'delivered',
  'rejected',
  'expired',
  'quarantined',
] as const satisfies readonly ReplayableState[]

const timeParameter = (which: string) =>
  Type.Optional(Type.String({ description: `${which}, as ISO 8601: 2026-11-21T09:30:00Z.` }))

const CreateReplayRequest = Type.Object(
  {
    destinationId: Type.String({ description: 'The id of a destination.' }),
    states: Type.Optional(
      Type.Array(Type.Enum([...REPLAYABLE]), {
        description: `Only deliveries in these states: ${REPLAYABLE.join(', ')}; rejected and expired if absent.`,
      }),
    ),
    from: timeParameter('Only events received at this time or later'),
    to: timeParameter('Only events received before this time; now if absent'),
    types: Type.Optional(
      Type.Array(Type.Enum([...EVENT_TYPES]), {
        description: `Only events of these types: ${EVENT_TYPES.join(', ')}.`,
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          'Only events that contain this text, upper and lower case alike: 1 to 1,024 characters.',
      }),
    ),
    includeDeclined: Type.Optional(
      Type.Boolean({
        description: 'true: also events that arrived while the destination was disabled.',
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'The maximum number of deliveries per second, a whole number from 1; no limit if absent.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'true: only counts the matching deliveries.' }),
    ),
  },
  { additionalProperties: false },
)

/** A replay as the API shows it. */
export const ReplayResponse = Type.Object(
  {
    id: Type.String({ description: 'The value of the header X-Hookline-Replay on its attempts.' }),
    state: Type.Enum(['queued', 'running', 'finished', 'cancelled']),
    destinationId: Type.String(),
    states: Type.Array(Type.Enum([...REPLAYABLE])),
    from: nullable(time),
    to: time,
    types: nullable(Type.Array(Type.Enum([...EVENT_TYPES]))),
    text: nullable(Type.String()),
    includeDeclined: Type.Boolean(),
    ratePerSecond: nullable(Type.Integer()),
    scanned: Type.Integer({ description: 'Deliveries and decisions scanned so far.' }),
    requeued: Type.Integer({ description: 'Deliveries made due again so far.' }),
    delivered: Type.Integer({ description: 'How many of these are delivered so far.' }),
    failed: Type.Integer({ description: 'How many of these ended undelivered so far.' }),
    reachedAt: nullable({
      ...time,
      description: 'How far the replay has come between from and to.',
    }),
    createdAt: time,
    finishedAt: nullable(time),
  },
  { $id: 'Replay' },
)

const DryRunResponse = Type.Object({
  dryRun: Type.Literal(true),
  matches: Type.Integer({ description: 'Deliveries that a replay would make due again.' }),
})

const operation = operationsTagged('Replays')

/** Requests and responses of the routes of replays. */
export const replaySchemas = {
  list: {
    ...operation('listReplays', 'Lists replays, newest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of replays.', pageSchema(componentSchema('Replay'))),
  },
  create: {
    ...operation('createReplay', 'Delivers past events again'),
    description:
      'Deliveries are attempted under the usual retry policy, with the same webhook-id and with the header X-Hookline-Replay. A webhook that accepted the event before receives it again only if the whole delivery was delivered.',
    body: CreateReplayRequest,
    response: {
      ...responses(201, 'The replay, queued.', componentSchema('Replay')),
      ...responses(200, 'With dryRun: what the replay would do.', DryRunResponse),
    },
  },
  get: {
    ...operation('getReplay', 'Shows a replay and its progress'),
    params: IdParams,
    response: responses(200, 'The replay.', componentSchema('Replay')),
  },
  cancel: {
    ...operation('cancelReplay', 'Cancels a replay'),
    description: 'Deliveries that the replay has already made due are still attempted.',
    params: IdParams,
    body: EmptyBody,
    response: responses(200, 'The replay.', componentSchema('Replay')),
  },
}

/** The replay as the audit log shows it: without the search text, which may name a user and would outlive a purge. */
export function auditedReplay(replay: Replay): object {
  const hasText = replay.selection.text !== undefined
  return { ...presentReplay(replay), text: undefined, hasText }
}

/** The replay as the API shows it. */
export function presentReplay(replay: Replay): object {
  const { id, state, selection, ratePerSecond, scanned, requeued, delivered, failed } = replay
  const { from, to, types = null, text = null, ...rest } = selection
  return {
    id,
    state,
    ...rest,
    from: timeOrNull(from === 0 ? null : from),
    to: timeOrNull(to),
    types,
    text,
    ratePerSecond,
    scanned,
    requeued,
    delivered,
    failed,
    reachedAt: timeOrNull(replay.reachedAt),
    createdAt: timeOrNull(replay.createdAt),
    finishedAt: timeOrNull(replay.finishedAt),
  }
}
