import { EVENT_TYPES, newId, parseTimestamp } from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { CatalogSnapshot } from '../backend/catalog.ts'
import type { Replay, ReplayableState, Replays, ReplaySelection } from '../backend/replays.ts'
import { selectionOf } from '../routing/filter.ts'
import { type FieldError, fieldError } from '../util/field-error.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { type AuditedPort, type ChangeDeps, recordEntry } from './audit.ts'
import { respondWith, withResponse } from './idempotency.ts'
import { Problem, requireFound } from './problems/problem.ts'

const REPLAYABLE: ReplayableState[] = ['delivered', 'rejected', 'expired', 'quarantined']

const timeParameter = (which: string) =>
  Type.Optional(Schema.text(`${which}. In ISO 8601, like 2026-11-21T09:30:00Z.`))

const CreateReplayRequest = Type.Object(
  {
    destinationId: Schema.text('The id of a destination.'),
    states: Type.Optional(
      Type.Array(Type.Enum(REPLAYABLE), {
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
        description: 'Only events that contain this text of 1 to 1,024 characters, ignoring case.',
      }),
    ),
    includeDeclined: Type.Optional(
      Schema.boolean(
        "true: includes events that were not delivered because the destination was disabled, or because of its filter, sample or transform. They are sent if the destination's current filter and sample select them.",
      ),
    ),
    ratePerSecond: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'The maximum number of deliveries per second, at least 1; no limit if absent.',
      }),
    ),
    dryRun: Type.Optional(Schema.boolean('true: only counts the matching deliveries.')),
  },
  Schema.strict,
)

const ReplayResponse = Type.Object(
  {
    id: Schema.text('The value of the header X-Hookline-Replay on its attempts.'),
    state: Type.Enum(['queued', 'running', 'finished', 'cancelled']),
    destinationId: Type.String(),
    states: Type.Array(Type.Enum(REPLAYABLE)),
    from: Schema.nullable(Schema.time),
    to: Schema.time,
    types: Schema.nullable(Type.Array(Type.Enum([...EVENT_TYPES]))),
    text: Schema.nullable(Type.String()),
    includeDeclined: Type.Boolean(),
    ratePerSecond: Schema.nullable(Type.Integer()),
    scanned: Schema.integer('Deliveries and decisions scanned so far.'),
    requeued: Schema.integer('Deliveries queued again so far.'),
    delivered: Schema.integer('How many of the requeued deliveries were delivered.'),
    failed: Schema.integer(
      'How many of the requeued deliveries failed. The remaining ones are in progress, or were declined by the transform.',
    ),
    reachedAt: Schema.nullable(
      Schema.timeOf('How far the replay has progressed between from and to.'),
    ),
    createdAt: Schema.time,
    finishedAt: Schema.nullable(Schema.time),
  },
  { $id: 'Replay' },
)

const DryRunResponse = Type.Object({
  dryRun: Type.Literal(true),
  matches: Schema.integer('Deliveries that a replay would send again.'),
})

const { viewer, editor } = Schema.operationsTagged('Replays')

const schemas = {
  list: {
    ...viewer('listReplays', 'Lists replays, newest first'),
    querystring: Schema.ListQuery,
    response: Schema.pages('A page of replays.', Schema.ref(ReplayResponse)),
  },
  create: {
    ...editor('createReplay', 'Delivers past events again'),
    // The search text may contain user data.
    showsUsers: true,
    description:
      'Deliveries are attempted under the usual retry policy, with the same webhook-id and with the header X-Hookline-Replay. A webhook that has already accepted the event receives it again only if the delivery is in the state delivered.',
    body: CreateReplayRequest,
    response: {
      ...Schema.responses(201, 'The replay, queued.', Schema.ref(ReplayResponse)),
      ...Schema.ok('With dryRun: the size of the replay.', DryRunResponse),
    },
  },
  get: {
    ...viewer('getReplay', 'Shows a replay and its progress'),
    params: Schema.IdParams,
    response: Schema.ok('The replay.', Schema.ref(ReplayResponse)),
  },
  cancel: {
    ...editor('cancelReplay', 'Cancels a replay'),
    showsUsers: true,
    description: 'Deliveries that are already queued are still attempted.',
    params: Schema.IdParams,
    body: Schema.EmptyBody,
    response: Schema.ok('The replay.', Schema.ref(ReplayResponse)),
  },
}

interface ReplayDeps extends Pick<ChangeDeps, 'catalog' | 'clock' | 'wake'> {
  readonly replays: AuditedPort<Replays, 'create' | 'cancel' | 'retry'>
}

const list = new List<Replay>('replays', presentReplay)

/** The number of rows per scan of a dry run. */
const SCAN = 1_000

/** `/replays`: past deliveries sent again. */
export function addReplayRoutes(app: AdminApp, deps: ReplayDeps): void {
  const { replays, clock } = deps
  addCreateRoute(app, deps)

  app.get('/replays', { schema: schemas.list }, ({ query }) =>
    list.page(query, (page) => replays.list({}, page)),
  )

  app.get('/replays/:id', { schema: schemas.get }, async ({ params }) =>
    presentReplay(await requireReplay(replays, params.id)),
  )

  app.post('/replays/:id/cancel', { schema: schemas.cancel }, async (request) => {
    const now = clock.wall()
    const replay = await requireReplay(replays, request.params.id)
    const change = [replay, cancelReplay(replay, now)] as const
    await replays.cancel(replay.id, now, recordEntry(request, now, change, auditedReplay))
    return presentReplay(await requireReplay(replays, replay.id))
  })
}

function addCreateRoute(app: AdminApp, { catalog, replays, clock, wake }: ReplayDeps): void {
  app.post('/replays', { schema: schemas.create }, async (request, reply) => {
    const { body } = request
    const now = clock.wall()
    const { dryRun = false, ratePerSecond = null } = body
    const selection = requestedSelection(body, catalog.current, now)
    if (dryRun) return { dryRun, matches: await countMatches(replays, selection, catalog.current) }
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
    const response = { status: 201, headers, body: presentReplay(replay) } as const
    const entry = recordEntry(request, now, [null, replay], auditedReplay)
    await replays.create(replay, withResponse(entry, response, request))
    wake()
    return respondWith(response, reply)
  })
}

function cancelReplay(replay: Replay, now: number): Replay {
  return replay.finishedAt === null ? { ...replay, state: 'cancelled', finishedAt: now } : replay
}

async function requireReplay(replays: Pick<Replays, 'find'>, id: string): Promise<Replay> {
  return requireFound(await replays.find(id), 'No replay has this id.')
}

async function countMatches(
  replays: Pick<Replays, 'select'>,
  selection: ReplaySelection,
  { destinations }: CatalogSnapshot,
) {
  const isSelected = selectionOf(destinations.get(selection.destinationId))
  let matches = 0
  let cursor: string | null = null
  do {
    const slice = await replays.select(selection, {
      cursor,
      scan: SCAN,
      limit: SCAN,
      isSelected,
    })
    matches += slice.eventIds.length
    cursor = slice.cursor
  } while (cursor !== null)
  return matches
}

type ReplayRequest = Static<typeof CreateReplayRequest>

const DEFAULT_STATES: readonly ReplayableState[] = ['rejected', 'expired']

/** The requested selection, up to `now`. @throws {Problem} `invalid_body` with all errors */
function requestedSelection(
  request: ReplayRequest,
  { destinations }: CatalogSnapshot,
  now: number,
): ReplaySelection {
  const { destinationId, states = DEFAULT_STATES, types, text, includeDeclined = false } = request
  const errors: FieldError[] = []
  if (!destinations.has(destinationId)) {
    const hint = 'Use the id of an existing destination.'
    errors.push(fieldError('/destinationId', 'unknown_destination', 'Unknown destination.', hint))
  }
  const from = parseTime(request, 'from', errors) ?? 0
  const to = Math.min(parseTime(request, 'to', errors) ?? now, now)
  if (from >= to && errors.length === 0) {
    const hint = 'from must be in the past, and to must be later than from.'
    errors.push(fieldError('/from', 'out_of_range', 'The time range is empty.', hint))
  }
  if (errors.length > 0) throw new Problem('invalid_body', { errors })
  return {
    destinationId,
    states,
    from: Math.max(0, from),
    to,
    includeDeclined,
    ...(types !== undefined && { types }),
    ...(text !== undefined && { text }),
  }
}

function parseTime(request: ReplayRequest, name: 'from' | 'to', errors: FieldError[]) {
  const ms = parseTimestamp(request[name])
  if (request[name] !== undefined && ms === undefined) {
    const hint = 'Use ISO 8601, for example 2026-11-21T09:30:00Z.'
    errors.push(fieldError(`/${name}`, 'invalid_format', `${name} is not a valid time.`, hint))
  }
  return ms
}

/** The replay for the audit log, without the search text: it may name a user, and entries survive a purge. */
function auditedReplay(replay: Replay): object {
  const hasText = replay.selection.text !== undefined
  return { ...presentReplay(replay), text: undefined, hasText }
}

function presentReplay({ selection, cursor: _, ...replay }: Replay): object {
  const { from, types = null, text = null } = selection
  return {
    ...Schema.withTimes(replay, 'reachedAt', 'createdAt', 'finishedAt'),
    ...Schema.withTimes({ ...selection, from: from === 0 ? null : from }, 'from', 'to'),
    types,
    text,
  }
}
