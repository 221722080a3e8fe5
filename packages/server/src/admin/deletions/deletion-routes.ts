import { formatTimestamp, LIMITS, newId } from '@hookline/protocol'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Deletion } from '../../backend/deletions.ts'
import { type Fault, fault, jsonPointer } from '../../util/fault.ts'
import { turn } from '../../util/time/clock.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { deletionSchemas, presentDeletion, presentNotice } from './deletion-schema.ts'
import { waitContexts } from '../deliveries/waiting.ts'
import { AUDITED_IDS, auditEntry } from '../audit/audit-entry.ts'
import { List } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { Problem } from '../problems/problem.ts'

const list = new List<object>('deletions', (each) => each)
const noticeList = new List<object>('notices', (each) => each)

/** `/deletions`, `/deletions/:id` and `/deletions/:id/notices`: deletion of users, with a notice to receivers. */
export function addDeletionRoutes(app: AdminApp, deps: AdminDeps): void {
  addCreating(app, deps)
  addReading(app, deps)
}

function addCreating(app: AdminApp, { catalog, deletions, clock, wake }: AdminDeps): void {
  app.post('/deletions', { schema: deletionSchemas.create }, async (request, reply) => {
    const { body } = request
    const { sourceIds = null, suppress = false } = body
    const userIds = [...new Set(body.userIds)]
    const anonymousIds = [...new Set(body.anonymousIds)]
    const faults = [
      ...idFaults(userIds.length + anonymousIds.length),
      ...unknownSources(sourceIds ?? [], catalog.current),
    ]
    if (faults.length > 0) throw new Problem('invalid_body', { faults })
    const createdAt = clock.wall()
    const id = newId('del', createdAt)
    const counts = { users: userIds.length, anonymousUsers: anonymousIds.length }
    const deletion = { id, createdAt, sourceIds, suppress, ...counts }
    // Without the ids: the deletion itself keeps them.
    const after = {
      ...deletion,
      state: 'queued',
      sourceIds: sourceIds?.slice(0, AUDITED_IDS) ?? null,
      createdAt: formatTimestamp(createdAt),
    }
    const entry = auditEntry(request, createdAt, { targetId: id, before: null, after })
    const headers = { location: `${app.prefix}/deletions/${id}` }
    const made = { status: 202, headers, body: { id, state: 'queued' } } as const
    await deletions.create(deletion, { userIds, anonymousIds }, withResponse(entry, made, request))
    wake()
    return respondWith(made, reply)
  })
}

function addReading(app: AdminApp, deps: AdminDeps): void {
  const { deletions, receipts, clock } = deps
  app.get('/deletions', { schema: deletionSchemas.list }, ({ query }) =>
    list.page(query, async (page) => {
      const { data, nextCursor } = await deletions.list({}, page)
      const presented: object[] = []
      for (const deletion of data) {
        presented.push(await presentWithNotices(deletion, deps))
        // Counting the notices of a large deletion takes milliseconds: other requests run in between.
        await turn()
      }
      return { data: presented, nextCursor }
    }),
  )

  app.get('/deletions/:id', { schema: deletionSchemas.get }, async ({ params, query }) => {
    const deletion = await requireDeletion(params.id, deps)
    const all = { after: '', limit: LIMITS.usersPerDeletion }
    const userIds = await deletions.ids(params.id, 'user', all)
    const anonymousIds = await deletions.ids(params.id, 'anonymous', all)
    const document = { ...(await presentWithNotices(deletion, deps)), userIds, anonymousIds }
    if (query.format !== 'receipt') return document
    return receipts.sign({ ...document, issuedAt: formatTimestamp(clock.wall()) })
  })

  app.get('/deletions/:id/notices', { schema: deletionSchemas.notices }, async (request) => {
    const { id } = await requireDeletion(request.params.id, deps)
    return noticeList.page(request.query, async (page) => {
      const { data, nextCursor } = await deps.notices.list(id, page)
      const contextOf = await waitContexts(data, deps)
      return { data: data.map((each) => presentNotice(each, contextOf(each))), nextCursor }
    })
  })
}

async function presentWithNotices(
  deletion: Deletion,
  deps: Pick<AdminDeps, 'notices'>,
): Promise<object> {
  return presentDeletion(deletion, await deps.notices.progress(deletion.id))
}

async function requireDeletion(id: string, { deletions }: AdminDeps): Promise<Deletion> {
  const deletion = await deletions.find(id)
  if (deletion === undefined) throw new Problem('not_found', { detail: 'No deletion has this id.' })
  return deletion
}

function idFaults(ids: number): Fault[] {
  if (ids > 0 && ids <= LIMITS.usersPerDeletion) return []
  const hint = `Give 1 to ${LIMITS.usersPerDeletion} ids, in userIds, anonymousIds or both.`
  return ids === 0
    ? [fault('/userIds', 'required', 'No user is named.', hint)]
    : [fault('/anonymousIds', 'too_many', `There are ${ids} ids in all.`, hint)]
}

function unknownSources(sourceIds: readonly string[], { sources }: CatalogSnapshot): Fault[] {
  const hint =
    'Give ids of existing sources. Without sourceIds the deletion covers every source, removed ones included.'
  return sourceIds.flatMap((id, index) =>
    sources.has(id)
      ? []
      : fault(jsonPointer('sourceIds', index), 'unknown_source', 'No source has this id.', hint),
  )
}
