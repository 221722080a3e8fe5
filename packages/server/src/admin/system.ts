import { formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { LiveTopics } from '../activity/live-topics.ts'
import type { Nodes } from '../backend/nodes.ts'
import type { Role } from '../backend/tokens.ts'
import type { Behind, Inventory, Upkeep } from '../backend/upkeep.ts'
import { type Clock, shownAt } from '../util/time/clock.ts'
import { isRoleEnough } from './access/roles.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import type { Backups } from './backup.ts'

const text = Type.String()
const age = Schema.nullable(Type.Integer())
const forAdmins = 'null unless the role is admin.'

const BehindResponse = Type.Object({
  events: Schema.integer('At most; dropped duplicates count as well.'),
  oldestAt: Schema.nullable(Schema.time),
  ageMs: age,
})

const SettingResponse = Type.Object({
  name: text,
  flag: text,
  variable: text,
  value: Schema.nullable(Schema.text('As a user writes it; null if hidden or not set.')),
  isSet: Type.Boolean(),
  hidden: Schema.nullable(
    Schema.oneOf(['secret', 'admins_only'], 'admins_only: it names a path, a host or a network.'),
  ),
  default: Schema.nullable(text),
  origin: Schema.orNull(
    Type.Object({
      kind: Type.Enum(['flag', 'environment', 'file', 'default', 'unset']),
      name: Type.Optional(Schema.text('The flag, the variable, or the file, which admins see.')),
      key: Type.Optional(text),
    }),
    'null: the program that runs the service has not told it.',
  ),
  help: text,
})

const NodeResponse = Type.Object({
  id: text,
  version: text,
  role: Schema.oneOf(
    ['all', 'ingest', 'deliver', 'api'],
    'What it does: everything, or one part of it.',
  ),
  startedAt: Schema.time,
  lastSeenAt: Schema.time,
  isAlive: Schema.boolean('Whether it was seen in the last ten seconds.'),
  isThis: Schema.boolean('Whether it is the one that responds.'),
})

const SystemResponse = Type.Object({
  version: text,
  node: text,
  backend: text,
  dataDir: Schema.nullable(Schema.text(forAdmins)),
  time: Schema.timeOf('What its clock shows.'),
  startedAt: Schema.time,
  callsPort: Schema.nullable(
    Schema.integer('The port that takes calls, if adminPort gives it one of its own.'),
  ),
  uptimeMs: Type.Integer(),
  status: Schema.oneOf(['ok', 'unavailable'], 'As /readyz, at checkedAt.'),
  checks: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      note: Type.Optional(text),
      reason: Type.Optional(text),
    }),
  ),
  checkedAt: Schema.time,
  nodes: Type.Array(NodeResponse, {
    description:
      'The processes that serve it together, and those that have died in the last ten minutes; at most 200. Version, checks, failingWorkers, live and settings are those of the one that responds.',
  }),
  failingWorkers: Type.Array(Type.Object({ name: text, reason: text })),
  damages: Schema.orNull(
    Type.Array(Type.Object({ foundAt: Schema.time, description: text })),
    `The last damages that starts have found; ${forAdmins}`,
  ),
  storage: Type.Object({
    usedBytes: Schema.integer('Without the space that removed data has left.'),
    databaseBytes: Type.Integer(),
    logBytes: Schema.integer('The write-ahead log; on a cluster, what waits in NATS.'),
    freeBytes: Schema.nullable(Schema.integer('Of the disk; null on a cluster.')),
    events: Type.Integer(),
    isExact: Schema.boolean('Whether events is counted, not estimated.'),
    oldestEventAt: Schema.nullable(Schema.time),
    retentionMs: Type.Integer(),
    retentionMaxBytes: Schema.nullable(Type.Integer()),
  }),
  backlog: Type.Object({
    undecided: Type.Object(BehindResponse.properties, {
      description: 'Events that wait for decisions.',
    }),
    notInProfiles: Schema.orNull(
      BehindResponse,
      'Events that profiles do not have; null while there are none.',
    ),
    pending: Schema.integer('Deliveries that wait for an attempt.'),
    held: Schema.integer('Deliveries that wait until a pause ends.'),
    oldestPendingAt: Schema.nullable(Schema.time),
    oldestPendingAgeMs: age,
    quarantined: Type.Integer(),
    openReplays: Type.Integer(),
    openDeletions: Type.Integer(),
  }),
  live: Type.Object(
    { open: Type.Integer(), most: Type.Integer() },
    { description: 'Connections of the live tail.' },
  ),
  lastBackupAt: Schema.nullable(
    Schema.timeOf('When the last download of a backup was complete, since the start.'),
  ),
  settings: Type.Array(SettingResponse),
})

const schema = {
  ...Schema.operationsTagged('About').viewer(
    'getSystem',
    'Shows the service itself: version, checks, storage, backlog, settings',
  ),
  description: 'The checks are at most 10 seconds old. All the rest is of the moment.',
  response: Schema.ok('The state of the service.', SystemResponse),
}

/** One setting of the service, with what may be shown of it. */
export interface ShownSetting {
  readonly name: string
  readonly flag: string
  readonly variable: string
  /** `null` where it is not set, and for a secret. */
  readonly value: string | null
  /** Whether it has a value, its default included. */
  readonly isSet: boolean
  readonly default: string | null
  /** `null` where the program that runs the service has not told it. */
  readonly origin: {
    readonly kind: string
    readonly name?: string | undefined
    readonly key?: string | undefined
  } | null
  readonly isSecret: boolean
  /** Its value names a path, a host or a network. */
  readonly isPlace: boolean
  readonly help: string
}

/** The result of the checks of `/readyz`. */
interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly checks: Readonly<
    Record<
      string,
      { readonly ok: boolean; readonly note?: string | undefined; readonly reason?: string }
    >
  >
}

/** Facts of the process. */
export interface ProcessFacts {
  readonly version: string
  readonly backend: string
  /** When it started: a time of `Clock.now`. */
  readonly startedAt: number
  /** The port that takes calls; `null` where it is the port of the management API, too. */
  readonly callsPort: number | null
  readonly dataDir: string
  readonly retentionMs: number
  readonly retentionMaxBytes: number
  readonly settings: readonly ShownSetting[]
  /** Makes the checks of `/readyz`, which write to the disk. */
  readonly readiness: () => Promise<Readiness>
  /** The last error of each failing worker, by its name. */
  readonly failingWorkers: () => Promise<ReadonlyMap<string, string>>
}

interface SystemDeps {
  readonly system: ProcessFacts
  readonly upkeep: Pick<Upkeep, 'inventory' | 'damages' | 'usedBytes' | 'backlog'>
  readonly nodes: Pick<Nodes, 'current' | 'id'>
  readonly live: Pick<LiveTopics, 'readers'>
  /** The most connections of the live tail. */
  readonly maxLiveStreams: number
  readonly backups: Pick<Backups, 'lastAt'>
  readonly clock: Clock
}

/** The newest damages that are shown. */
const MAX_DAMAGES = 20

/** `/system`: the service itself. */
export function addSystemRoute(app: AdminApp, deps: SystemDeps): void {
  const { system, clock, upkeep } = deps
  const readiness = recentReadiness(system.readiness, clock)

  app.get('/system', { schema }, async ({ actor }) => {
    const isAdmin = isRoleEnough(actor.role, 'admin')
    const [{ status, checks, at }, inventory, failing] = await Promise.all([
      readiness(),
      upkeep.inventory(),
      system.failingWorkers(),
    ])
    return {
      ...processOf(deps),
      dataDir: isAdmin ? system.dataDir : null,
      status,
      checks,
      checkedAt: formatTimestamp(shownAt(at, clock)),
      nodes: nodesOf(deps),
      failingWorkers: [...failing].map(([name, reason]) => ({ name, reason })),
      damages: isAdmin ? await damagesOf(deps) : null,
      storage: await storageOf(inventory, deps),
      backlog: await backlogOf(inventory, deps),
      live: { open: deps.live.readers, most: deps.maxLiveStreams },
      lastBackupAt: Schema.timeOrNull(deps.backups.lastAt),
      settings: system.settings.map((setting) => presentSetting(setting, actor.role)),
    }
  })
}

function processOf({ system, clock }: SystemDeps): object {
  const { version, backend, startedAt, callsPort } = system
  return {
    version,
    node: process.versions.node,
    backend,
    time: formatTimestamp(clock.wall()),
    startedAt: formatTimestamp(shownAt(startedAt, clock)),
    callsPort,
    uptimeMs: clock.now() - startedAt,
  }
}

function nodesOf({ nodes }: SystemDeps): object[] {
  return nodes.current.map(({ id, version, role, startedAt, seenAt, isAlive }) => ({
    id,
    version,
    role,
    startedAt: formatTimestamp(startedAt),
    lastSeenAt: formatTimestamp(seenAt),
    isAlive,
    isThis: id === nodes.id,
  }))
}

async function damagesOf({ upkeep }: SystemDeps): Promise<object[]> {
  const found = await upkeep.damages(MAX_DAMAGES)
  return found.map((each) => ({ ...each, foundAt: formatTimestamp(each.foundAt) }))
}

async function storageOf(
  { databaseBytes, logBytes, freeBytes, events, oldestEventAt }: Inventory,
  { upkeep, system: { retentionMs, retentionMaxBytes } }: SystemDeps,
): Promise<object> {
  return {
    usedBytes: await upkeep.usedBytes(),
    databaseBytes,
    logBytes,
    freeBytes,
    events: events.count,
    isExact: events.isExact,
    oldestEventAt: Schema.timeOrNull(oldestEventAt),
    retentionMs,
    retentionMaxBytes: retentionMaxBytes === 0 ? null : retentionMaxBytes,
  }
}

async function backlogOf(
  { undecided, notInProfiles, openReplays, openDeletions }: Inventory,
  { upkeep, clock }: SystemDeps,
): Promise<object> {
  const { waiting, oldestPendingAt = null, quarantined } = await upkeep.backlog()
  const count = (state: 'pending' | 'held'): number =>
    waiting.reduce((sum, each) => sum + (each.state === state ? each.count : 0), 0)
  const behind = ({ events, oldestAt }: Behind): object => ({
    events,
    oldestAt: Schema.timeOrNull(oldestAt),
    ageMs: ageMs(oldestAt, clock.wall()),
  })
  return {
    undecided: behind(undecided),
    notInProfiles: notInProfiles && behind(notInProfiles),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: Schema.timeOrNull(oldestPendingAt && shownAt(oldestPendingAt, clock)),
    oldestPendingAgeMs: ageMs(oldestPendingAt, clock.now()),
    quarantined,
    openReplays,
    openDeletions,
  }
}

function ageMs(since: number | null, now: number): number | null {
  return since === null ? null : Math.max(0, now - since)
}

/** A setting as somebody with this role sees it. Only admins see where the service and its files are. */
function presentSetting(
  { isSecret, isPlace, value, origin, ...setting }: ShownSetting,
  role: Role,
): object {
  const isAdmin = role === 'admin'
  const hidden = isSecret ? 'secret' : isPlace && !isAdmin ? 'admins_only' : null
  const { kind, name, key } = origin ?? {}
  const shown = { kind, ...(key !== undefined && { key }) }
  const isNamed = name !== undefined && (kind !== 'file' || isAdmin)
  return {
    ...setting,
    value: hidden === null ? value : null,
    hidden,
    origin: origin && (isNamed ? { ...shown, name } : shown),
  }
}

const KEPT_MS = 10_000

/**
 * Returns the result of the checks, at most ten seconds old, and when they began: a time of `Clock.now`. They write to the
 * disk, and pages of the console read them often.
 */
function recentReadiness(
  check: () => Promise<Readiness>,
  clock: Clock,
): () => Promise<Readiness & { readonly at: number }> {
  let last: { readonly result: Promise<Readiness>; readonly at: number } | undefined
  return async () => {
    const now = clock.now()
    if (last === undefined || now - last.at >= KEPT_MS) last = { result: check(), at: now }
    const { result, at } = last
    return { ...(await result), at }
  }
}
