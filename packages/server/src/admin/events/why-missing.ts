import {
  formatTimestamp,
  INGEST_CODES,
  type IngestCodeName,
  isId,
  timeOfId,
} from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { Catalog, KeyUses } from '../../backend/catalog.ts'
import type {
  Deletion,
  Deletions,
  Subject,
  SuppressionRecord,
  Suppressions,
} from '../../backend/deletions.ts'
import type { ArchivedEvent, Events } from '../../backend/events.ts'
import { type CountsRow, SPANS, type Statistics } from '../../backend/statistics.ts'
import type { Upkeep } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { ClockWatch } from '../../util/workers/clock-watch.ts'
import type { AdminApp } from '../api/admin-app.ts'
import * as Schema from '../api/schema.ts'
import { MAX_SUPPRESSIONS } from './events.ts'

/**
 * Why an event may not be there, the surest causes first: the order of the causes in a response. docs/reference/errors.md
 * shows them.
 */
export const MISSING_CAUSES = {
  event_exists: {
    meaning: 'The event is there. Later calls with its messageId were dropped as duplicates.',
    help: 'Its trace shows what happened to it.',
  },
  other_source: {
    meaning: 'An event with this messageId arrived at another source.',
    help: 'Its trace shows what happened to it. Check the write key of the client.',
  },
  unknown_source: {
    meaning: 'There is no source, or none has this id.',
    help: 'Create a source, or give the id of an existing one.',
  },
  suppressed: {
    meaning: 'The user is suppressed: calls get a 200 and are not kept.',
    help: 'If the user agrees to new events, delete the suppression: later calls are then kept.',
  },
  deleted: {
    meaning: 'A deletion removed the events that the user had until then.',
    help: 'They cannot be restored. Later events of the user are kept, unless the user is suppressed.',
  },
  expired: {
    meaning: 'The event is older than the retention time, so it was removed.',
    help: 'Send it again, with another messageId. The setting retention keeps later events longer.',
  },
  source_disabled: {
    meaning: 'The source is disabled, so its calls are refused.',
    help: 'Enable the source. Then send the call again.',
  },
  source_silent: {
    meaning: 'No call with a write key of the source arrived in the last 24 hours.',
    help: 'Check the write key and the host in the client, and send a call by hand.',
  },
  refused: {
    meaning: 'Calls were refused in the last 24 hours.',
    help: 'Look up the code in the table of the ingestion API. Then send the call again.',
  },
  users_suppressed: {
    meaning: 'Calls of suppressed users got a 200 and were left out.',
    help: 'Ask again with the userId of the call. The list of suppressions has the users.',
  },
  deletions: {
    meaning: 'Deletions have removed events.',
    help: 'Ask again with the userId of the call. The list of deletions has the users.',
  },
  quarantined: {
    meaning:
      'Events or deliveries are in quarantine: a bug, damaged data or an unknown source stopped them.',
    help: 'See the lines quarantine.added and source.unknown of the log.',
  },
  not_sent: {
    meaning: 'No call with these ids reached this service, or its event was removed since.',
    help: 'Check that the client flushes before it exits, reports no error, and sends to this host.',
  },
} as const satisfies Record<string, { meaning: string; help: string }>

type MissingCauseCode = keyof typeof MISSING_CAUSES

/** What this service knows that speaks for a cause. Times in milliseconds since the epoch. */
interface Evidence {
  /** How many calls, events, sources, or other things there are. */
  readonly count?: number
  readonly since?: number
  readonly lastAt?: number
  /** A code of the ingestion API. */
  readonly code?: string
  readonly eventId?: string
  readonly sourceId?: string
  readonly deletionId?: string
}

/** A cause that may apply. */
interface MissingCause {
  readonly code: MissingCauseCode
  readonly evidence: Evidence
}

const optional = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

const CauseResponse = Type.Object({
  code: Type.Enum(Object.keys(MISSING_CAUSES)),
  message: Type.String(),
  remedy: Type.String(),
  evidence: Type.Object(
    {
      count: Type.Optional(Type.Integer()),
      since: Type.Optional(Schema.time),
      lastAt: Type.Optional(Schema.time),
      code: Type.Optional(Schema.text('A code of the ingestion API.')),
      eventId: Type.Optional(Type.String()),
      sourceId: Type.Optional(Type.String()),
      deletionId: Type.Optional(Type.String()),
    },
    { description: 'What this service knows. docs/reference/errors.md explains each code.' },
  ),
})

/** What is known of the event that is missing. */
const MissingEventQuery = Type.Object(
  {
    messageId: optional('The messageId of the call.'),
    eventId: optional('The id of the event.'),
    userId: optional('The userId of the call.'),
    anonymousId: optional('Its anonymousId; only used without a userId.'),
    sourceId: optional('Its source.'),
  },
  Schema.strict,
)
type MissingEvent = Static<typeof MissingEventQuery>

const schema = {
  ...Schema.operationsTagged('Events').viewer(
    'explainMissingEvent',
    'Lists why an event may be missing',
  ),
  isLongRead: true,
  description:
    'For a call that made no event. Name what is known of it. Refused calls are those of the last 24 hours, counted up to a minute ago.',
  querystring: MissingEventQuery,
  response: Schema.ok(
    'The causes, the surest first.',
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
  /** How long events are kept. */
  readonly retentionMs: number
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly clock: Clock
}

/** `/events/why-missing`: why an event that was sent is not there. */
export function addWhyMissingRoute(app: AdminApp, deps: WhyMissingDeps): void {
  app.get('/events/why-missing', { schema }, async ({ query }) => ({
    causes: (await whyMissing(query, deps)).map(presentCause),
  }))
}

function presentCause({ code, evidence }: MissingCause): object {
  const { since, lastAt } = evidence
  const { message, remedy } = wordsOf(code, evidence.code)
  return {
    code,
    message,
    remedy,
    evidence: {
      ...evidence,
      ...(since !== undefined && { since: formatTimestamp(since) }),
      ...(lastAt !== undefined && { lastAt: formatTimestamp(lastAt) }),
    },
  }
}

function wordsOf(
  code: MissingCauseCode,
  refusal: string | undefined,
): { readonly message: string; readonly remedy: string } {
  const { meaning, help } = MISSING_CAUSES[code]
  if (refusal === undefined || !Object.hasOwn(INGEST_CODES, refusal))
    return { message: meaning, remedy: help }
  const { message, help: remedy } = INGEST_CODES[refusal as IngestCodeName]
  return { message: `${meaning} ${refusal}: ${message}`, remedy }
}

/** How many deletions are looked through, the newest first. */
const MAX_DELETIONS = 100

/** The causes that may apply, the surest first, from what this service knows. */
async function whyMissing(missing: MissingEvent, deps: WhyMissingDeps): Promise<MissingCause[]> {
  const { statistics, upkeep, clock } = deps
  const now = clock.wall()
  const user = subjectOf(missing)
  const { quarantined } = await upkeep.backlog()
  const causes = [
    ...(await existing(missing, deps)),
    ...(await suppressed(user, missing, deps)),
    ...(await deleted(user, deps)),
    ...expired(missing, deps),
    ...sourceCauses(missing, deps, now),
    ...(await refusedCalls(statistics, { ...missing, from: aDayBefore(now), to: now })),
    ...(quarantined > 0
      ? [{ code: 'quarantined' as const, evidence: { count: quarantined } }]
      : []),
  ]
  const isThere = causes.some(({ code }) => code === 'event_exists' || code === 'other_source')
  const all: MissingCause[] = isThere ? causes : [...causes, { code: 'not_sent', evidence: {} }]
  const order = Object.keys(MISSING_CAUSES)
  return all.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code))
}

/** Calls that have both ids belong to the user. */
function subjectOf({ userId, anonymousId }: MissingEvent): Subject | undefined {
  if (userId !== undefined) return { kind: 'user', id: userId }
  return anonymousId === undefined ? undefined : { kind: 'anonymous', id: anonymousId }
}

async function existing(
  { eventId, messageId, sourceId }: MissingEvent,
  { events }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const byId = eventId === undefined ? undefined : await events.find(eventId)
  const byMessageId = async (): Promise<readonly ArchivedEvent[]> => {
    if (messageId === undefined) return []
    return (await events.list({ messageId }, { limit: MAX_SUPPRESSIONS })).data
  }
  const all = byId ? [byId] : await byMessageId()
  const event = all.find((each) => each.sourceId === sourceId) ?? all[0]
  if (event === undefined) return []
  const isElsewhere = sourceId !== undefined && event.sourceId !== sourceId
  const { duplicates, lastDuplicateAt } = event
  return [
    {
      code: isElsewhere ? 'other_source' : 'event_exists',
      evidence: {
        eventId: event.id,
        sourceId: event.sourceId,
        count: duplicates,
        ...(lastDuplicateAt !== null && { lastAt: lastDuplicateAt }),
      },
    },
  ]
}

async function suppressed(
  user: Subject | undefined,
  { sourceId }: MissingEvent,
  { suppressions }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const { data } =
    user === undefined
      ? await suppressions.list({}, { limit: MAX_SUPPRESSIONS })
      : await suppressions.find(user, MAX_SUPPRESSIONS)
  const about = data.filter(
    (each) => each.sourceId === null || sourceId === undefined || each.sourceId === sourceId,
  )
  if (user === undefined) return leftOut(about)
  return about.map(({ since, callsLeftOut: count, lastLeftOutAt, deletionId }) => ({
    code: 'suppressed',
    evidence: {
      since,
      count,
      ...(lastLeftOutAt !== null && { lastAt: lastLeftOutAt }),
      deletionId,
    },
  }))
}

function leftOut(about: readonly SuppressionRecord[]): MissingCause[] {
  const count = about.reduce((sum, { callsLeftOut }) => sum + callsLeftOut, 0)
  if (count === 0) return []
  const lastAt = Math.max(...about.map(({ lastLeftOutAt }) => lastLeftOutAt ?? 0))
  return [{ code: 'users_suppressed', evidence: { count, lastAt } }]
}

async function deleted(
  user: Subject | undefined,
  { deletions }: WhyMissingDeps,
): Promise<MissingCause[]> {
  const { data } = await deletions.list({}, { limit: MAX_DELETIONS })
  if (user !== undefined) {
    const own = await deletionOf(user, data, deletions)
    return own === undefined ? [] : [{ code: 'deleted', evidence: evidenceOf([own]) }]
  }
  const removing = data.filter(({ purged }) => purged.events > 0)
  return removing.length === 0 ? [] : [{ code: 'deletions', evidence: evidenceOf(removing) }]
}

function evidenceOf(found: readonly Deletion[]): MissingCause['evidence'] {
  const [newest] = found
  return {
    count: found.reduce((sum, { purged }) => sum + purged.events, 0),
    lastAt: newest!.purgedAt ?? newest!.createdAt,
    deletionId: newest!.id,
  }
}

/** The id of an event has the time when it was received. */
function expired(
  { eventId }: MissingEvent,
  { clockWatch, retentionMs }: WhyMissingDeps,
): MissingCause[] {
  if (eventId === undefined || !isId('evt', eventId)) return []
  const since = clockWatch.removalTime() - retentionMs
  const lastAt = timeOfId(eventId)
  return lastAt < since ? [{ code: 'expired', evidence: { since, lastAt } }] : []
}

function sourceCauses(
  { sourceId }: MissingEvent,
  { catalog, keyUses }: WhyMissingDeps,
  now: number,
): MissingCause[] {
  const { sources } = catalog.current
  const about = [...sources.values()].filter(({ id }) => sourceId === undefined || id === sourceId)
  if (about.length === 0) return [{ code: 'unknown_source', evidence: { count: sources.size } }]
  const disabled = about.filter(({ enabled }) => !enabled)
  const uses = about.flatMap(({ writeKeys }) =>
    writeKeys.flatMap(({ key }) => keyUses.lastUsedAt(key) ?? []),
  )
  const lastAt = uses.length === 0 ? undefined : Math.max(...uses)
  const isSilent = lastAt === undefined || lastAt < aDayBefore(now)
  return [
    ...disabled.map(({ id }) => ({
      code: 'source_disabled' as const,
      evidence: { sourceId: id },
    })),
    ...(isSilent
      ? [{ code: 'source_silent' as const, evidence: lastAt === undefined ? {} : { lastAt } }]
      : []),
  ]
}

const PREFIX = 'refused.'
/** Calls of suppressed users. Suppressions count them by themselves, and at once. */
const LEFT_OUT = 'refused.suppressed'

/**
 * The calls that were refused since `from`, as one cause for each code, the most frequent first. Calls of other sources are
 * left out where they are counted by source. The counts are up to a minute old.
 */
async function refusedCalls(
  statistics: WhyMissingDeps['statistics'],
  {
    sourceId,
    from,
    to,
  }: { readonly sourceId?: string; readonly from: number; readonly to: number },
): Promise<MissingCause[]> {
  const refused = new Map<string, { count: number; lastAt: number }>()
  // Refused calls belong to no destination: the rows of destinations, which are most of them, are not read.
  const range = { span: 'minute', from, to, destinationId: '' } as const
  for await (const rows of statistics.read(range)) {
    // Without a source: the calls of all, and those whose source is not known.
    const about = rows.filter((row) => [sourceId ?? row.sourceId, ''].includes(row.sourceId))
    for (const [code, count, lastAt] of about.flatMap(refusedIn))
      refused.set(code, { count: count + (refused.get(code)?.count ?? 0), lastAt })
  }
  return [...refused]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([code, evidence]) => ({ code: 'refused', evidence: { ...evidence, code } }))
}

/** The code, the number and the minute of each count of refused calls. */
function refusedIn({ start, counts }: CountsRow): [code: string, count: number, at: number][] {
  return Object.entries(counts)
    .filter(([name]) => name.startsWith(PREFIX) && name !== LEFT_OUT)
    .map(([name, count]) => [name.slice(PREFIX.length), count, start])
}

/** Where a day of counts begins that ends now. */
function aDayBefore(now: number): number {
  return now - 24 * SPANS.hour
}

const LAST_BEFORE_SURROGATES = 0xd7ff
const FIRST_AFTER_SURROGATES = 0xe000

/** Of these deletions, the newest that names the user. */
async function deletionOf(
  user: Subject,
  found: readonly Deletion[],
  deletions: WhyMissingDeps['deletions'],
): Promise<Deletion | undefined> {
  for (const deletion of found) {
    const options = { after: justBefore(user.id), limit: 1 }
    const [id] = await deletions.ids(deletion.id, user.kind, options)
    if (id === user.id) return deletion
  }
  return undefined
}

/** A text that sorts before `id`, with next to nothing between them. */
function justBefore(id: string): string {
  const points = Array.from(id)
  const last = points.pop()?.codePointAt(0) ?? 0
  const rest = points.join('')
  if (last === 0) return rest
  const before = last === FIRST_AFTER_SURROGATES ? LAST_BEFORE_SURROGATES : last - 1
  return `${rest}${String.fromCodePoint(before)}\u{10ffff}`
}
