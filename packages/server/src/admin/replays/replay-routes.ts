import { newId } from '@hookline/protocol'
import type { Replay, ReplaySelection } from '../../backend/replays.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { recordEntry } from '../audit/audit-entry.ts'
import { List } from '../api/list.ts'
import { respondWith, withResponse } from '../idempotency/kept-response.ts'
import { Problem } from '../problems/problem.ts'
import { requestedSelection } from './replay-selection.ts'
import { auditedReplay, presentReplay, replaySchemas } from './replay-schema.ts'

const list = new List<Replay>('replays', presentReplay)

/** A search text may contain data of users. */
const SHOWS_USERS = { showsUsers: true } as const

/** Rows that a dry run scans at once; other requests run in between. */
const SCAN = 1_000

/** `/replays` and `/replays/:id`: past deliveries sent again. */
export function addReplayRoutes(app: AdminApp, deps: AdminDeps): void {
  const { replays, clock } = deps
  addCreating(app, deps)

  app.get('/replays', { schema: replaySchemas.list }, ({ query }) =>
    list.page(query, (page) => replays.list({}, page)),
  )

  app.get('/replays/:id', { schema: replaySchemas.get }, async ({ params }) =>
    presentReplay(await requireReplay(replays, params.id)),
  )

  const cancelling = { schema: replaySchemas.cancel, config: SHOWS_USERS }
  app.post('/replays/:id/cancel', cancelling, async (request) => {
    const now = clock.wall()
    const replay = await requireReplay(replays, request.params.id)
    const change = [replay, cancelled(replay, now)] as const
    await replays.cancel(replay.id, now, recordEntry(request, now, change, auditedReplay))
    return presentReplay(await requireReplay(replays, replay.id))
  })
}

function addCreating(app: AdminApp, { catalog, replays, clock, wake }: AdminDeps): void {
  const options = { schema: replaySchemas.create, config: SHOWS_USERS }
  app.post('/replays', options, async (request, reply) => {
    const { body } = request
    const now = clock.wall()
    const { dryRun = false, ratePerSecond = null } = body
    const selection = requestedSelection(body, catalog.current, now)
    if (dryRun) return { dryRun, matches: await countMatches(replays, selection) }
    const replay: Replay = {
      id: newId('rpl', now),
      selection,
      ratePerSecond,
      state: 'queued',
      createdAt: now,
      finishedAt: null,
      scanned: 0,
      requeued: 0,
      delivered: 0,
      failed: 0,
      reachedAt: null,
      cursor: null,
    }
    const headers = { location: `${app.prefix}/replays/${replay.id}` }
    const made = { status: 201, headers, body: presentReplay(replay) } as const
    const entry = recordEntry(request, now, [null, replay], auditedReplay)
    await replays.create(replay, withResponse(entry, made, request))
    wake()
    return respondWith(made, reply)
  })
}

function cancelled(replay: Replay, now: number): Replay {
  return replay.finishedAt === null ? { ...replay, state: 'cancelled', finishedAt: now } : replay
}

type Replays = AdminDeps['replays']

async function requireReplay(replays: Replays, id: string): Promise<Replay> {
  const replay = await replays.find(id)
  if (replay === undefined) throw new Problem('not_found', { detail: 'No replay has this id.' })
  return replay
}

async function countMatches(replays: Replays, selection: ReplaySelection): Promise<number> {
  let matches = 0
  let cursor: string | null = null
  do {
    const slice = await replays.select(selection, { cursor, scan: SCAN, limit: SCAN })
    matches += slice.eventIds.length
    cursor = slice.cursor
  } while (cursor !== null)
  return matches
}
