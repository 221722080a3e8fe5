import { formatTimestamp, INGEST_CODES, isId, timeOfId } from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { Catalog, KeyUses } from '../../backend/catalog.ts'
import type { Deletion, Deletions, Subject, Suppressions } from '../../backend/deletions.ts'
import type { Events } from '../../backend/events.ts'
import { type CountsRow, SPANS, type Statistics } from '../../backend/statistics.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { ClockWatch } from '../../util/workers/clock-watch.ts'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'
import { MAX_SUPPRESSIONS, subjectOf } from './events.ts'

/**
 * Why an event may be missing, the most likely causes first: the order in responses and
 * docs/reference/errors.md.
 */
export const MISSING_CAUSES = {
  event_exists: {
    meaning: 'The event was stored. Later calls with its messageId were dropped as duplicates.',
    help: "The event's trace shows what happened to it.",
  },
  other_source: {
    meaning: 'An event with this messageId arrived at another source.',
    help: "The event's trace shows what happened to it. Check the client's write key.",
  },
  unknown_source: {
    meaning: 'There are no sources, or none with this id.',
    help: 'Create a source, or use the id of an existing one.',
  },
  suppressed: {
    meaning: 'The user is suppressed: calls get a 200 and are not stored.',
    help: 'If the user agrees to new events, end the suppression. Later calls are then stored.',
  },
  deleted: {
    meaning: "A deletion removed the user's earlier events.",
    help: 'The deleted events cannot be restored. Later events are stored, unless the user is suppressed.',
  },
  expired: {
    meaning: 'The event is older than the retention period, after which events are removed.',
    help: 'Send it again with a new messageId. To keep events longer, increase the retention setting.',
  },
  source_disabled: {
    meaning: 'The source is disabled, so its calls are rejected.',
    help: 'Enable the source. Then send the call again.',
  },
  source_silent: {
    meaning:
      "In the last 24 hours, no call arrived with any of the source's write keys while the source was enabled. Without sourceId, this means the write keys of all sources.",
    help: 'Check the write key and the host in the client, and send a call manually.',
  },
  rejected: {
    meaning: 'Calls were rejected in the last 24 hours.',
    help: 'Correct the calls: docs/reference/errors.md explains each code. Then send them again.',
  },
  users_suppressed: {
    meaning: 'Calls for suppressed users got a 200 and were not stored.',
    help: "Search again with the call's userId, or see the list of suppressions.",
  },
  deletions: {
    meaning: 'Deletions have removed events.',
    help: "Search again with the call's userId, or see the list of deletions.",
  },
  quarantined: {
    meaning:
      'Events or deliveries are quarantined because of a bug, corrupted data or an unknown source.',
    help: 'See the log lines quarantine.added and source.unknown.',
  },
  not_sent: {
    meaning: 'No call with these ids reached this service, or the event has since been removed.',
    help: 'Check that the client flushes before it exits, reports no error, and sends to this host.',
  },
} as const satisfies Record<string, { meaning: string; help: string }>

const optional = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const EvidenceResponse = Type.Object(
  {
    count: Type.Optional(Type.Integer()),
    since: Type.Optional(Schema.time),
    lastAt: Type.Optional(Schema.time),
    code: Type.Optional(Schema.text('A code from the ingestion API.')),
    eventId: Type.Optional(Type.String()),
    sourceId: Type.Optional(Type.String()),
    deletionId: Type.Optional(Type.String()),
  },
  { description: 'The data behind the cause. docs/reference/errors.md explains each code.' },
)
type Evidence = Static<typeof EvidenceResponse>

interface MissingCause {
  readonly code: keyof typeof MISSING_CAUSES
  readonly evidence: Evidence
}

const CauseResponse = Type.Object({
  code: Type.Enum(Object.keys(MISSING_CAUSES)),
  message: Type.String(),
  remedy: Type.String(),
  evidence: EvidenceResponse,
})

const MissingEventQuery = Schema.strictObject({
  messageId: optional('The messageId of the call.'),
  eventId: optional('The id of the event.'),
  userId: optional('The userId of the call.'),
  anonymousId: optional('The anonymousId of the call; used only without a userId.'),
  sourceId: optional('The source of the call.'),
})
type MissingEvent = Static<typeof MissingEventQuery>

const { viewer } = Schema.operationsTagged('Events')
const schema = {
  ...viewer('explainMissingEvent', 'Lists possible reasons for a missing event'),
  isLongRead: true,
  description:
    'For a call that does not appear in GET /events. All parameters are optional. Rejected calls are counted for the last 24 hours.',
  querystring: MissingEventQuery,
  response: Schema.ok(
    'The causes, most likely first.',
    Type.Object({ causes: Type.Array(CauseResponse) }),
  ),
}

interface WhyMissingDeps {
  readonly catalog: Pick<Catalog, 'current'>
  readonly keyUses: Pick<KeyUses, 'lastUsedAt'>
  readonly events: Pick<Events, 'find' | 'list'>
  readonly suppressions: Pick<Suppressions, 'find' | 'list'>
  readonly deletions: Pick<Deletions, 'list' | 'ids'>
  readonly statistics: Pick<Statistics, 'read'>
  readonly upkeep: Pick<Upkeep, 'backlog'>
  readonly retentionMs: number
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly clock: Clock
}

/** `/events/why-missing`: why an event that was sent is not stored. */
export function addWhyMissingRoute(app: AdminApp, deps: WhyMissingDeps): void {
  app.get('/events/why-missing', { schema }, async ({ query }) => ({
    causes: (await whyMissing(query, deps)).map(presentCause),
  }))
}

const REFUSALS = new Map<string, { readonly message: string; readonly help: string }>(
  Object.entries(INGEST_CODES),
)

function presentCause({ code, evidence }: MissingCause): object {
  const { meaning, help } = MISSING_CAUSES[code]
  const refusal = REFUSALS.get(evidence.code ?? '')
  const message = refusal ? `${meaning} ${evidence.code}: ${refusal.message}` : meaning
  return { code, message, remedy: refusal?.help ?? help, evidence }
}

async function whyMissing(missing: MissingEvent, deps: WhyMissingDeps): Promise<MissingCause[]> {
  const now = deps.clock.wall()
  const user = subjectOf(missing)
  const { quarantined } = await deps.upkeep.backlog()
  const causes = [
    ...(await storedEvent(missing, deps)),
    ...(await suppressionCauses(user, missing, deps)),
    ...(await deletionCauses(user, deps)),
    ...expiryCauses(missing, deps),
    ...sourceCauses(missing, deps, now),
    ...(await rejectedCalls(missing, deps, now)),
  ]
  if (quarantined > 0) causes.push({ code: 'quarantined', evidence: { count: quarantined } })
  const isStored = causes.some(({ code }) => code === 'event_exists' || code === 'other_source')
  if (!isStored) causes.push({ code: 'not_sent', evidence: {} })
  const order = Object.keys(MISSING_CAUSES)
  return causes.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code))
}

async function storedEvent(
  { eventId, messageId, sourceId }: MissingEvent,
  { events }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const byId = eventId === undefined ? undefined : await events.find(eventId)
  const { data: byMessageId } =
    byId !== undefined || messageId === undefined
      ? { data: [] }
      : await events.list({ messageId }, { limit: MAX_SUPPRESSIONS })
  const event = byId ?? byMessageId.find((each) => each.sourceId === sourceId) ?? byMessageId[0]
  if (event === undefined) return []
  const code = (sourceId ?? event.sourceId) === event.sourceId ? 'event_exists' : 'other_source'
  const { id, duplicates: count, lastDuplicateAt } = event
  const last = latest(lastDuplicateAt)
  return [{ code, evidence: { eventId: id, sourceId: event.sourceId, count, ...last } }]
}

async function suppressionCauses(
  user: Subject | undefined,
  { sourceId }: MissingEvent,
  { suppressions }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const { data } = user
    ? await suppressions.find(user, MAX_SUPPRESSIONS)
    : await suppressions.list({}, { limit: MAX_SUPPRESSIONS })
  const matching = data.filter(
    (each) => each.sourceId === null || sourceId === undefined || each.sourceId === sourceId,
  )
  if (user === undefined) {
    const count = matching.reduce((sum, { droppedCalls }) => sum + droppedCalls, 0)
    const last = latest(...matching.map(({ lastDroppedAt }) => lastDroppedAt))
    return count === 0 ? [] : [{ code: 'users_suppressed', evidence: { count, ...last } }]
  }
  return matching.map(({ since, droppedCalls: count, lastDroppedAt, deletionId }) => ({
    code: 'suppressed',
    evidence: { since: formatTimestamp(since), count, ...latest(lastDroppedAt), deletionId },
  }))
}

/** How many deletions are searched, newest first. */
const MAX_DELETIONS = 100

async function deletionCauses(
  user: Subject | undefined,
  { deletions }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const { data } = await deletions.list({}, { limit: MAX_DELETIONS })
  const removing = data.filter(({ purged }) => purged.events > 0)
  if (user === undefined) return deletionCause('deletions', removing)
  const before = justBefore(user.id)
  for (const deletion of data) {
    const [id] = await deletions.ids(deletion.id, user.kind, { after: before, limit: 1 })
    if (id === user.id) return deletionCause('deleted', [deletion])
  }
  return []
}

const LAST_BEFORE_SURROGATES = 0xd7ff
const FIRST_AFTER_SURROGATES = 0xe000

/** A string that sorts just before `id`. */
function justBefore(id: string): string {
  const points = Array.from(id)
  const last = points.pop()?.codePointAt(0) ?? 0
  const rest = points.join('')
  if (last === 0) return rest
  const before = last === FIRST_AFTER_SURROGATES ? LAST_BEFORE_SURROGATES : last - 1
  return `${rest}${String.fromCodePoint(before)}\u{10ffff}`
}

function deletionCause(
  code: 'deleted' | 'deletions',
  deletions: readonly Deletion[],
): MissingCause[] {
  const [newest] = deletions
  if (newest === undefined) return []
  const count = deletions.reduce((sum, { purged }) => sum + purged.events, 0)
  const last = latest(newest.purgedAt ?? newest.createdAt)
  return [{ code, evidence: { count, ...last, deletionId: newest.id } }]
}

/** The cause if retention has removed the event: its id contains the time of its receipt. */
function expiryCauses(
  { eventId }: MissingEvent,
  { clockWatch, retentionMs }: WhyMissingDeps,
): MissingCause[] {
  if (eventId === undefined || !isId('evt', eventId)) return []
  const since = clockWatch.removalTime() - retentionMs
  const receivedAt = timeOfId(eventId)
  if (receivedAt >= since) return []
  const evidence = { since: formatTimestamp(since), ...latest(receivedAt) }
  return [{ code: 'expired', evidence }]
}

function sourceCauses(
  { sourceId }: MissingEvent,
  { catalog, keyUses }: WhyMissingDeps,
  now: number,
): MissingCause[] {
  const all = [...catalog.current.sources.values()]
  const sources = all.filter(({ id }) => sourceId === undefined || id === sourceId)
  if (sources.length === 0) return [{ code: 'unknown_source', evidence: { count: all.length } }]
  const uses = sources
    .flatMap(({ writeKeys }) => writeKeys)
    .flatMap(({ key }) => keyUses.lastUsedAt(key) ?? [])
  const causes: MissingCause[] = sources
    .filter(({ enabled }) => !enabled)
    .map(({ id }) => ({ code: 'source_disabled', evidence: { sourceId: id } }))
  if (uses.every((at) => at < now - DAY_MS))
    causes.push({ code: 'source_silent', evidence: latest(...uses) })
  return causes
}

const DAY_MS = 24 * SPANS.hour
const PREFIX = 'rejected.'
/** The count of calls for suppressed users, which the causes from suppressions already include. */
const SUPPRESSED_COUNT = 'rejected.suppressed'

/** A cause for each code of calls rejected in the last day, most frequent first. */
async function rejectedCalls(
  { sourceId }: MissingEvent,
  { statistics }: WhyMissingDeps,
  now: number,
): Promise<MissingCause[]> {
  const rejected = new Map<string, { count: number; lastAt: number }>()
  // Rejected calls are counted without a destination, so the rows of destinations, which are the majority, need not be read.
  const range = { span: 'minute', from: now - DAY_MS, to: now, destinationId: '' } as const
  for await (const rows of statistics.read(range)) {
    // Calls with an unknown write key have no source.
    const matching = rows.filter((row) => [sourceId ?? row.sourceId, ''].includes(row.sourceId))
    for (const [name, count, lastAt] of matching.flatMap(refusalsIn))
      rejected.set(name, { count: count + (rejected.get(name)?.count ?? 0), lastAt })
  }
  return [...rejected]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([name, { count, lastAt }]) => ({
      code: 'rejected',
      evidence: { count, ...latest(lastAt), code: name.slice(PREFIX.length) },
    }))
}

function refusalsIn({ start, counts }: CountsRow): [name: string, count: number, at: number][] {
  return Object.entries(counts)
    .filter(([name]) => name.startsWith(PREFIX) && name !== SUPPRESSED_COUNT)
    .map(([name, count]) => [name, count, start])
}

/** The latest of these times as evidence, if there is any. */
function latest(...times: readonly (number | null)[]): Pick<Evidence, 'lastAt'> {
  const known = times.filter((at) => at !== null)
  return known.length === 0 ? {} : { lastAt: formatTimestamp(Math.max(...known)) }
}
