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

const moment = (which: string) =>
  Type.Optional(Type.String({ description: `${which}, as ISO 8601: 2026-11-21T09:30:00Z.` }))

const CreateReplayRequest = Type.Object(
  {
    destinationId: Type.String({ description: 'The id of a destination.' }),
    states: Type.Optional(
      Type.Array(Type.Enum([...REPLAYABLE]), {
        description: `Deliveries in these states, of ${REPLAYABLE.join(', ')}; rejected and expired if absent.`,
      }),
    ),
    from: moment('Of events received at this time or later'),
    to: moment('Of events received before this; now if absent'),
    types: Type.Optional(
      Type.Array(Type.Enum([...EVENT_TYPES]), {
        description: `Of events of these types, of ${EVENT_TYPES.join(', ')}.`,
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Of events that contain this somewhere, in any case: 1 to 1,024 characters.',
      }),
    ),
    includeDeclined: Type.Optional(
      Type.Boolean({
        description: 'true: besides, events that came while the destination was off.',
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Deliveries per second at most, a whole number from 1; no limit if absent.',
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'true: only counts what matches.' })),
  },
  { additionalProperties: false },
)

/** A replay as the API shows it. */
export const ReplayResponse = Type.Object(
  {
    id: Type.String({ description: 'What X-Hookline-Replay says on its attempts.' }),
    state: Type.Enum(['queued', 'running', 'finished', 'cancelled']),
    destinationId: Type.String(),
    states: Type.Array(Type.Enum([...REPLAYABLE])),
    from: nullable(time),
    to: time,
    types: nullable(Type.Array(Type.Enum([...EVENT_TYPES]))),
    text: nullable(Type.String()),
    includeDeclined: Type.Boolean(),
    ratePerSecond: nullable(Type.Integer()),
    scanned: Type.Integer({ description: 'Deliveries and decisions looked at.' }),
    requeued: Type.Integer({ description: 'Deliveries made due again.' }),
    delivered: Type.Integer({ description: 'Of those, delivered so far.' }),
    failed: Type.Integer({ description: 'Of those, ended otherwise so far.' }),
    reachedAt: nullable({ ...time, description: 'How far it is between from and to.' }),
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

/** What the routes of replays take and answer. */
export const replaySchemas = {
  list: {
    ...operation('listReplays', 'Lists replays, newest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of replays.', pageSchema(componentSchema('Replay'))),
  },
  create: {
    ...operation('createReplay', 'Delivers past events again'),
    description:
      'Deliveries are tried under the usual policy, with the same webhook-id and the header X-Hookline-Replay. Webhooks that took one already get it again only where the whole delivery was delivered.',
    body: CreateReplayRequest,
    response: {
      ...responses(201, 'The replay, which is worked on from now on.', componentSchema('Replay')),
      ...responses(200, 'With dryRun: what it would do.', DryRunResponse),
    },
  },
  get: {
    ...operation('getReplay', 'Shows a replay and how far it is'),
    params: IdParams,
    response: responses(200, 'The replay.', componentSchema('Replay')),
  },
  cancel: {
    ...operation('cancelReplay', 'Ends a replay'),
    description: 'Deliveries that are due already are still made.',
    params: IdParams,
    body: EmptyBody,
    response: responses(200, 'The replay.', componentSchema('Replay')),
  },
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
