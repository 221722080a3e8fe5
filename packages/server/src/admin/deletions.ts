import { formatTimestamp, LIMITS, newId } from '@hookline/protocol'
import Type from 'typebox'
import type { CatalogSnapshot } from '../backend/catalog.ts'
import type { Deletion, Deletions } from '../backend/deletions.ts'
import type { NoticeHistory, NoticeProgress, Notices } from '../backend/notices.ts'
import { type FieldError, fieldError, jsonPointer } from '../util/field-error.ts'
import { nextTurn } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { MAX_AUDITED_IDS, type AuditedPort, auditEntry, type ChangeDeps } from './audit.ts'
import { presentDelivery } from './deliveries/deliveries.ts'
import { type WaitContext, waitContexts, type WaitDeps } from './deliveries/waiting.ts'
import { respondWith, withResponse } from './idempotency.ts'
import { Problem, requireFound } from './problems/problem.ts'
import { presentSubject } from './suppressions.ts'

const MAX_USERS = LIMITS.usersPerDeletion
const idField = Type.String()
const count = Type.Integer()

const idsField = (description: string) =>
  Type.Optional(
    Type.Array(Type.String(Schema.userId), { minItems: 1, maxItems: MAX_USERS, description }),
  )

const CreateDeletionRequest = Type.Object(
  {
    userIds: idsField(`1 to ${MAX_USERS} userIds, none of them empty.`),
    anonymousIds: idsField(
      `1 to ${MAX_USERS} anonymousIds, none of them empty. Every event with one of them is removed, regardless of its userId. At most ${MAX_USERS} ids in total.`,
    ),
    sourceIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'The ids of sources. If absent: every source, including deleted ones.',
      }),
    ),
    suppress: Type.Optional(Schema.boolean('true: new events from these users are not stored.')),
  },
  Schema.strict,
)

const STATES = ['queued', 'running', 'finished', 'partial'] as const
const STATUSES = ['pending', 'delivered', 'partial', 'failed'] as const

const fields = {
  id: idField,
  state: Schema.oneOf(
    STATES,
    'finished: done, and every receiver was notified. partial: done, but some notices failed.',
  ),
  users: Schema.integer('The number of userIds.'),
  anonymousUsers: Schema.integer('The number of anonymousIds.'),
  sourceIds: Schema.nullable(Type.Array(idField, { description: 'null: every source.' })),
  suppress: Type.Boolean(),
  createdAt: Schema.time,
  suppressedAt: Schema.nullable(Schema.time),
  purgedAt: Schema.nullable(Schema.time),
  purged: Type.Object({
    events: count,
    anonymousEvents: Schema.integer('How many of the removed events had no userId.'),
    deliveries: count,
  }),
  notifications: Type.Array(
    Type.Object({
      sourceId: idField,
      destinationId: idField,
      status: Type.Enum([...STATUSES]),
      notices: Type.Object({ waiting: count, delivered: count, failed: count }),
      attempts: count,
      notifiedAt: Schema.nullable(Schema.time),
    }),
    { description: 'One for each source and destination. Empty until the purge is done.' },
  ),
}

const DeletionResponse = Type.Object(fields, { $id: 'Deletion' })

const { viewer, admin } = Schema.operationsTagged('Deletions')

const schemas = {
  create: {
    ...admin('createDeletion', 'Deletes users and notifies receivers'),
    description:
      'Suppresses the users, if requested; then removes their events, deliveries, attempts and profiles; then sends a notice for each user to each enabled destination, except alert channels.',
    body: CreateDeletionRequest,
    response: Schema.responses(
      202,
      'The deletion is queued.',
      Type.Object({ id: idField, state: Type.Literal('queued') }),
    ),
  },
  list: {
    ...viewer('listDeletions', 'Lists deletions, newest first'),
    isLongRead: true,
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of deletions.', Schema.ref(DeletionResponse)),
  },
  get: {
    ...viewer('getDeletion', 'Shows a deletion and its progress'),
    isLongRead: true,
    description:
      'With format=receipt, the response is {receipt, signature}: the deletion, and an Ed25519 signature over JSON.stringify(receipt).',
    params: Schema.IdParams,
    querystring: Type.Object(
      { format: Type.Optional(Schema.oneOf(['receipt'], '"receipt", or absent.')) },
      Schema.strict,
    ),
    response: Schema.ok(
      'The deletion, or a receipt for it.',
      Type.Union([
        Type.Object({ ...fields, userIds: Type.Array(idField), anonymousIds: Type.Array(idField) }),
        Type.Object({
          receipt: Schema.anyObject,
          signature: Type.Object({
            algorithm: Type.Literal('Ed25519'),
            publicKey: Schema.text('The public key: SPKI in DER, as base64.'),
            value: Schema.text('The signature, as base64.'),
          }),
        }),
      ]),
    ),
  },
  notices: {
    ...viewer('listDeletionNotices', 'Lists the notices for a deletion with their attempts'),
    params: Schema.IdParams,
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of notices, with the fields of deliveries.', Schema.anyObject),
  },
}

interface DeletionDeps extends WaitDeps, Pick<ChangeDeps, 'clock' | 'wake'> {
  readonly deletions: AuditedPort<Deletions, 'create'>
  readonly notices: Pick<Notices, 'list' | 'progress'>
  readonly receipts: { sign(document: object): Promise<object> }
}

const list = new List<object>('deletions', (each) => each)
const noticeList = new List<object>('notices', (each) => each)

/** `/deletions`: deletions of users, with notices to receivers. */
export function addDeletionRoutes(app: AdminApp, deps: DeletionDeps): void {
  addCreateRoute(app, deps)
  addReadRoutes(app, deps)
}

function addCreateRoute(app: AdminApp, { catalog, deletions, clock, wake }: DeletionDeps): void {
  app.post('/deletions', { schema: schemas.create }, async (request, reply) => {
    const { body } = request
    const { sourceIds = null, suppress = false } = body
    const userIds = [...new Set(body.userIds)]
    const anonymousIds = [...new Set(body.anonymousIds)]
    const counts = { users: userIds.length, anonymousUsers: anonymousIds.length }
    const errors = [
      ...idErrors(counts.users + counts.anonymousUsers),
      ...unknownSources(sourceIds ?? [], catalog.current),
    ]
    if (errors.length > 0) throw new Problem('invalid_body', { errors })
    const createdAt = clock.wall()
    const id = newId('del', createdAt)
    const deletion = { id, createdAt, sourceIds, suppress, ...counts }
    const after = {
      ...Schema.withTimes(deletion, 'createdAt'),
      state: 'queued',
      sourceIds: sourceIds?.slice(0, MAX_AUDITED_IDS) ?? null,
    }
    const entry = auditEntry(request, createdAt, { targetId: id, before: null, after })
    const headers = { location: `${app.prefix}/deletions/${id}` }
    const queued = { status: 202, headers, body: { id, state: 'queued' } } as const
    const recorded = withResponse(entry, queued, request)
    await deletions.create(deletion, { userIds, anonymousIds }, recorded)
    wake()
    return respondWith(queued, reply)
  })
}

function addReadRoutes(app: AdminApp, deps: DeletionDeps): void {
  const { deletions, receipts, clock } = deps
  app.get('/deletions', { schema: schemas.list }, ({ query }) =>
    list.page(query, async (page) => {
      const { data, nextCursor } = await deletions.list({}, page)
      const presented: object[] = []
      for (const deletion of data) {
        presented.push(await presentDeletion(deletion, deps))
        // Counting the notices of a large deletion takes milliseconds.
        await nextTurn()
      }
      return { data: presented, nextCursor }
    }),
  )

  app.get('/deletions/:id', { schema: schemas.get }, async ({ params, query }) => {
    const deletion = await requireDeletion(params.id, deps)
    const all = { after: '', limit: LIMITS.usersPerDeletion }
    const userIds = await deletions.ids(params.id, 'user', all)
    const anonymousIds = await deletions.ids(params.id, 'anonymous', all)
    const document = { ...(await presentDeletion(deletion, deps)), userIds, anonymousIds }
    if (query.format !== 'receipt') return document
    return receipts.sign({ ...document, issuedAt: formatTimestamp(clock.wall()) })
  })

  app.get('/deletions/:id/notices', { schema: schemas.notices }, async (request) => {
    const { id } = await requireDeletion(request.params.id, deps)
    return noticeList.page(request.query, async (page) => {
      const { data, nextCursor } = await deps.notices.list(id, page)
      const contextOf = await waitContexts(data, deps)
      return { data: data.map((each) => presentNotice(each, contextOf(each))), nextCursor }
    })
  })
}

async function requireDeletion(id: string, { deletions }: DeletionDeps): Promise<Deletion> {
  return requireFound(await deletions.find(id), 'No deletion has this id.')
}

function idErrors(ids: number): FieldError[] {
  if (ids > 0 && ids <= LIMITS.usersPerDeletion) return []
  const hint = `Specify 1 to ${LIMITS.usersPerDeletion} ids in userIds and anonymousIds.`
  return ids === 0
    ? [fieldError('/userIds', 'required', 'No userIds or anonymousIds.', hint)]
    : [fieldError('/anonymousIds', 'too_many', `The request contains ${ids} ids.`, hint)]
}

function unknownSources(sourceIds: readonly string[], { sources }: CatalogSnapshot): FieldError[] {
  const hint = 'Use ids of existing sources, or omit sourceIds for every source.'
  return sourceIds.flatMap((id, index) =>
    sources.has(id)
      ? []
      : fieldError(
          jsonPointer('sourceIds', index),
          'unknown_source',
          'No source has this id.',
          hint,
        ),
  )
}

async function presentDeletion(deletion: Deletion, { notices }: DeletionDeps): Promise<object> {
  const { step: _step, startedAt: _startedAt, notifiedAt: _notifiedAt, ...shown } = deletion
  const progress = await notices.progress(deletion.id)
  return {
    anonymousUsers: 0,
    ...Schema.withTimes(shown, 'createdAt', 'suppressedAt', 'purgedAt'),
    state: stateOf(deletion, progress),
    notifications: progress.map(({ counts, ...rest }) => ({
      ...Schema.withTimes(rest, 'notifiedAt'),
      status: statusOf(counts),
      notices: counts,
    })),
  }
}

function presentNotice(
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

function statusOf(counts: NoticeProgress['counts']): (typeof STATUSES)[number] {
  const { waiting, delivered, failed } = counts
  if (waiting > 0) return 'pending'
  if (failed === 0) return 'delivered'
  return delivered > 0 ? 'partial' : 'failed'
}
