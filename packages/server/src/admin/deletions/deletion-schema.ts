import { formatTimestamp, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import type { Deletion } from '../../backend/deletions.ts'
import type { NoticeHistory, NoticeProgress } from '../../backend/notices.ts'
import { presentDelivery } from '../deliveries/delivery-schema.ts'
import type { WaitContext } from '../deliveries/waiting.ts'
import { presentSubject } from './suppression-schema.ts'
import { listQuery, pageSchema } from '../api/list.ts'
import { componentSchema, responses } from '../problems/responses.ts'
import {
  anyObject,
  IdParams,
  nullable,
  time,
  operationsTagged,
  timeOrNull,
  userIdField,
} from '../api/schema-parts.ts'

const MAX_USERS = LIMITS.usersPerDeletion
const id = Type.String()

const ids = (description: string) =>
  Type.Optional(
    Type.Array(Type.String(userIdField), { minItems: 1, maxItems: MAX_USERS, description }),
  )

const CreateDeletionRequest = Type.Object(
  {
    userIds: ids(`The userIds of 1 to ${MAX_USERS} users, each a text that is not empty.`),
    anonymousIds: ids(
      `The anonymousIds of 1 to ${MAX_USERS} users, each a text that is not empty. Every event with one of them is removed, whatever its userId. At most ${MAX_USERS} ids in all.`,
    ),
    sourceIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'The ids of sources. Leave it out for every source, removed ones included.',
      }),
    ),
    suppress: Type.Optional(
      Type.Boolean({ description: 'true: from now on, new events of these users are not kept.' }),
    ),
  },
  { additionalProperties: false },
)

const STATES = ['queued', 'running', 'finished', 'partial'] as const
const STATUSES = ['pending', 'delivered', 'partial', 'failed'] as const

const fields = {
  id,
  state: Type.Enum([...STATES], {
    description:
      'finished: done, and every receiver was notified. partial: done, but not every receiver could be notified.',
  }),
  users: Type.Integer({ description: 'The number of userIds to delete.' }),
  anonymousUsers: Type.Integer({ description: 'The number of anonymousIds to delete.' }),
  sourceIds: nullable(Type.Array(id, { description: 'null: every source.' })),
  suppress: Type.Boolean(),
  createdAt: time,
  suppressedAt: nullable(time),
  purgedAt: nullable(time),
  purged: Type.Object({
    events: Type.Integer(),
    anonymousEvents: Type.Integer({
      description: 'Those of the events that have no userId: only anonymousIds find them.',
    }),
    deliveries: Type.Integer(),
  }),
  notifications: Type.Array(
    Type.Object({
      sourceId: id,
      destinationId: id,
      status: Type.Enum([...STATUSES]),
      notices: Type.Object({
        waiting: Type.Integer(),
        delivered: Type.Integer(),
        failed: Type.Integer(),
      }),
      attempts: Type.Integer(),
      notifiedAt: nullable(time),
    }),
    { description: 'One for each source and destination. Empty until the purge is done.' },
  ),
}

/** A deletion as the API shows it. */
export const DeletionResponse = Type.Object(fields, { $id: 'Deletion' })

const operation = operationsTagged('Deletions')

/** Requests and responses of the routes of deletions. */
export const deletionSchemas = {
  create: {
    ...operation('createDeletion', 'Deletes users and notifies receivers'),
    description:
      'In this order: suppresses the users, if requested; removes the events that arrived until then, with deliveries and history; sends one notice for each user to each enabled destination.',
    body: CreateDeletionRequest,
    response: responses(
      202,
      'The deletion is queued.',
      Type.Object({ id, state: Type.Literal('queued') }),
    ),
  },
  list: {
    ...operation('listDeletions', 'Lists deletions, newest first'),
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(200, 'A page of deletions.', pageSchema(componentSchema('Deletion'))),
  },
  get: {
    ...operation('getDeletion', 'Shows a deletion and its progress'),
    description:
      'With format=receipt, the response is {receipt, signature}: the deletion, and an Ed25519 signature over JSON.stringify(receipt).',
    params: IdParams,
    querystring: Type.Object(
      {
        format: Type.Optional(
          Type.Enum(['receipt'], { description: 'Either receipt, or absent.' }),
        ),
      },
      { additionalProperties: false },
    ),
    response: responses(
      200,
      'The deletion, or a receipt of it.',
      Type.Union([
        Type.Object({ ...fields, userIds: Type.Array(id), anonymousIds: Type.Array(id) }),
        Type.Object({
          receipt: anyObject,
          signature: Type.Object({
            algorithm: Type.Literal('Ed25519'),
            publicKey: Type.String({ description: 'The public key: SPKI in DER, as base64.' }),
            value: Type.String({ description: 'The signature, as base64.' }),
          }),
        }),
      ]),
    ),
  },
  notices: {
    ...operation('listDeletionNotices', 'Lists the notices of a deletion with their attempts'),
    params: IdParams,
    querystring: Type.Object(listQuery, { additionalProperties: false }),
    response: responses(
      200,
      'A page of notices. Each has the fields of a delivery.',
      pageSchema(anyObject),
    ),
  },
}

/** The deletion as the API shows it. */
export function presentDeletion(deletion: Deletion, progress: readonly NoticeProgress[]): object {
  const { id: deletionId, users, anonymousUsers = 0 } = deletion
  const { sourceIds, suppress, createdAt, purged } = deletion
  const { suppressedAt, purgedAt } = deletion
  return {
    id: deletionId,
    state: stateOf(deletion, progress),
    users,
    anonymousUsers,
    sourceIds,
    suppress,
    createdAt: formatTimestamp(createdAt),
    suppressedAt: timeOrNull(suppressedAt),
    purgedAt: timeOrNull(purgedAt),
    purged,
    notifications: progress.map(({ counts, notifiedAt, ...rest }) => ({
      ...rest,
      status: statusOf(counts),
      notices: counts,
      notifiedAt: timeOrNull(notifiedAt),
    })),
  }
}

/** The notice as the API shows it: like a delivery, with a user in place of an event. */
export function presentNotice(
  { sourceId, subject, ...delivery }: NoticeHistory,
  context: WaitContext,
): object {
  const { eventId: _, ...shown } = presentDelivery(delivery, context) as { eventId: string }
  return { ...shown, deletionId: delivery.eventId, sourceId, ...presentSubject(subject) }
}

function stateOf(
  { step, startedAt }: Deletion,
  progress: readonly NoticeProgress[],
): (typeof STATES)[number] {
  if (step !== 'done') return startedAt === null ? 'queued' : 'running'
  if (progress.some(({ counts }) => counts.waiting > 0)) return 'running'
  return progress.some(({ counts }) => counts.failed > 0) ? 'partial' : 'finished'
}

function statusOf({
  waiting,
  delivered,
  failed,
}: NoticeProgress['counts']): (typeof STATUSES)[number] {
  if (waiting > 0) return 'pending'
  if (failed === 0) return 'delivered'
  return delivered > 0 ? 'partial' : 'failed'
}
