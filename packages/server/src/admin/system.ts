import { formatTimestamp } from '@hookline/protocol'
import Type, { type Static, type TObject } from 'typebox'
import type { LiveTopics } from '../activity/live-topics.ts'
import type { Nodes } from '../backend/nodes.ts'
import type { Role } from '../backend/tokens.ts'
import type { Inventory, Lag, Upkeep } from '../backend/upkeep.ts'
import { type Clock, toWallClock } from '../util/time/clock.ts'
import { includesRole } from './access/roles.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import type { Backups } from './backup.ts'

const text = Type.String()
const age = Schema.nullable(Type.Integer())
const forAdmins = 'null unless the role is admin.'

const BehindResponse = Type.Object({
  events: Schema.integer('An upper bound: includes dropped duplicates.'),
  oldestAt: Schema.nullable(Schema.time),
  ageMs: age,
})

const OriginResponse = Type.Object({
  kind: Type.Enum(['flag', 'environment', 'file', 'default', 'unset']),
  name: Type.Optional(Schema.text('The flag, the variable, or, for admins, the file.')),
  key: Type.Optional(text),
})

const settingFields = {
  group: Schema.text('The settings in a group are contiguous.'),
  name: text,
  flag: text,
  variable: text,
  value: Schema.nullable(
    Schema.text('As written in the configuration; null if hidden or not set.'),
  ),
  isSet: Type.Boolean(),
  default: Schema.nullable(text),
  help: text,
}

const SettingResponse = Type.Object({
  ...settingFields,
  hidden: Schema.nullable(
    Schema.oneOf(
      ['secret', 'admins_only'],
      'admins_only: the value is a path, a host or a network.',
    ),
  ),
  origin: Schema.orNull(OriginResponse, 'null: unknown.'),
})

const NodeResponse = Type.Object({
  id: text,
  version: text,
  role: Type.Enum(['all', 'ingest', 'deliver', 'api']),
  startedAt: Schema.time,
  lastSeenAt: Schema.time,
  isAlive: Schema.boolean('Whether the node was seen in the last ten seconds.'),
  isSelf: Schema.boolean('Whether this node sent the response.'),
})

const CheckResponse = Type.Object({
  ok: Type.Boolean(),
  note: Type.Optional(text),
  reason: Type.Optional(text),
})

const SystemResponse = Type.Object({
  version: text,
  node: text,
  backend: text,
  dataDir: Schema.nullable(Schema.text(forAdmins)),
  time: Schema.time,
  startedAt: Schema.time,
  callsPort: Schema.nullable(Schema.integer('The port for calls, if adminPort is set.')),
  uptimeMs: Type.Integer(),
  status: Schema.oneOf(['ok', 'unavailable'], 'The status of /readyz at checkedAt.'),
  checks: Type.Record(Type.String(), CheckResponse),
  checkedAt: Schema.time,
  nodes: Type.Array(NodeResponse, {
    description:
      'The nodes in the service, including nodes lost in the last ten minutes; at most 200. Version, checks, failingWorkers, live and settings describe the responding node.',
  }),
  failingWorkers: Type.Array(Type.Object({ name: text, reason: text })),
  corruptions: Schema.orNull(
    Type.Array(Type.Object({ foundAt: Schema.time, description: text })),
    `Data corruption found at startup; ${forAdmins}`,
  ),
  storage: Type.Object({
    usedBytes: Schema.integer('Excludes free space inside the database.'),
    databaseBytes: Type.Integer(),
    logBytes: Schema.integer('The write-ahead log, or the NATS stream in a cluster.'),
    freeBytes: Schema.nullable(Schema.integer('On the disk; null in a cluster.')),
    events: Type.Integer(),
    isExact: Schema.boolean('false: events is an estimate.'),
    oldestEventAt: Schema.nullable(Schema.time),
    retentionMs: Type.Integer(),
    retentionMaxBytes: Schema.nullable(Type.Integer()),
  }),
  backlog: Type.Object({
    undecided: Type.Object(BehindResponse.properties, { description: 'Events without decisions.' }),
    notInProfiles: Schema.orNull(
      BehindResponse,
      'Events not yet in profiles; null before the first audience or computed trait.',
    ),
    pending: Schema.integer('Pending deliveries.'),
    held: Schema.integer('Held deliveries.'),
    oldestPendingAt: Schema.nullable(Schema.time),
    oldestPendingAgeMs: age,
    quarantined: Type.Integer(),
    openReplays: Type.Integer(),
    openDeletions: Type.Integer(),
  }),
  live: Type.Object(
    { open: Type.Integer(), max: Type.Integer() },
    { description: 'Connections to the live tail.' },
  ),
  lastBackupAt: Schema.nullable(
    Schema.timeOf('When the last backup download was completed; null before the first one.'),
  ),
  settings: Type.Array(SettingResponse),
})

const schema = {
  ...Schema.operationsTagged('About').viewer(
    'getSystem',
    'Shows the state of the service: version, checks, storage, backlog, settings',
  ),
  description: 'The checks are at most 10 seconds old.',
  response: Schema.ok('The state of the service.', SystemResponse),
}

/** A setting. The value of a secret is `null`. */
export type PresentedSetting = Readonly<Static<TObject<typeof settingFields>>> & {
  /** `null`: unknown. */
  readonly origin: {
    readonly kind: string
    readonly name?: string | undefined
    readonly key?: string | undefined
  } | null
  readonly isSecret: boolean
  /** Its value is a path, a host or a network. */
  readonly isLocation: boolean
}

/** The result of `/readyz`. */
interface Readiness {
  readonly status: 'ok' | 'unavailable'
  readonly checks: Readonly<Record<string, Static<typeof CheckResponse>>>
}

export interface ProcessFacts {
  readonly version: string
  readonly backend: string
  /** From `Clock.now`. */
  readonly startedAt: number
  /** The port for calls; `null` if it is the port of the management API. */
  readonly callsPort: number | null
  readonly dataDir: string
  readonly retentionMs: number
  readonly retentionMaxBytes: number
  readonly settings: readonly PresentedSetting[]
  /** Runs the checks of `/readyz`, which write to the disk. */
  readonly readiness: () => Promise<Readiness>
  /** The last error of each failing worker, by the name of the worker. */
  readonly failingWorkers: () => Promise<ReadonlyMap<string, string>>
}

interface SystemDeps {
  readonly system: ProcessFacts
  readonly upkeep: Pick<Upkeep, 'inventory' | 'corruptions' | 'usedBytes' | 'disk' | 'backlog'>
  readonly nodes: Pick<Nodes, 'current' | 'id'>
  readonly live: Pick<LiveTopics, 'readers'>
  readonly maxLiveStreams: number
  readonly backups: Pick<Backups, 'lastAt'>
  readonly clock: Clock
}

const MAX_LISTED = 20

/** `/system`: the state of the service. */
export function addSystemRoute(app: AdminApp, deps: SystemDeps): void {
  const { system, clock, upkeep } = deps
  const readiness = recentReadiness(system.readiness, clock)

  app.get('/system', { schema }, async ({ actor }) => {
    const isAdmin = includesRole(actor.role, 'admin')
    const [{ status, checks, at }, inventory, failing] = await Promise.all([
      readiness(),
      upkeep.inventory(),
      system.failingWorkers(),
    ])
    return {
      version: system.version,
      node: process.versions.node,
      backend: system.backend,
      time: formatTimestamp(clock.wall()),
      startedAt: formatTimestamp(toWallClock(system.startedAt, clock)),
      callsPort: system.callsPort,
      uptimeMs: clock.now() - system.startedAt,
      dataDir: isAdmin ? system.dataDir : null,
      status,
      checks,
      checkedAt: formatTimestamp(toWallClock(at, clock)),
      nodes: nodesOf(deps),
      failingWorkers: [...failing].map(([name, reason]) => ({ name, reason })),
      corruptions: isAdmin
        ? (await upkeep.corruptions(MAX_LISTED)).map((each) => Schema.withTimes(each, 'foundAt'))
        : null,
      storage: await storageOf(inventory, deps),
      backlog: await backlogOf(inventory, deps),
      live: { open: deps.live.readers, max: deps.maxLiveStreams },
      lastBackupAt: Schema.timeOrNull(deps.backups.lastAt),
      settings: system.settings.map((setting) => presentSetting(setting, actor.role)),
    }
  })
}

function nodesOf({ nodes }: SystemDeps): object[] {
  return nodes.current.map(({ seenAt: lastSeenAt, ...node }) => ({
    ...Schema.withTimes({ ...node, lastSeenAt }, 'startedAt', 'lastSeenAt'),
    isSelf: node.id === nodes.id,
  }))
}

async function storageOf(
  { databaseBytes, logBytes, events, oldestEventAt }: Inventory,
  { upkeep, system: { retentionMs, retentionMaxBytes } }: SystemDeps,
): Promise<object> {
  return {
    usedBytes: await upkeep.usedBytes(),
    databaseBytes,
    logBytes,
    freeBytes: (await upkeep.disk())?.freeBytes ?? null,
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
  const lagOf = ({ events, oldestAt }: Lag): object => ({
    events,
    oldestAt: Schema.timeOrNull(oldestAt),
    ageMs: ageMs(oldestAt, clock.wall()),
  })
  return {
    undecided: lagOf(undecided),
    notInProfiles: notInProfiles && lagOf(notInProfiles),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: Schema.timeOrNull(oldestPendingAt && toWallClock(oldestPendingAt, clock)),
    oldestPendingAgeMs: ageMs(oldestPendingAt, clock.now()),
    quarantined,
    openReplays,
    openDeletions,
  }
}

function ageMs(since: number | null, now: number): number | null {
  return since === null ? null : Math.max(0, now - since)
}

/** A setting for a reader with this role. Only admins see paths, hosts and networks. */
function presentSetting(
  { isSecret, isLocation, value, origin, ...setting }: PresentedSetting,
  role: Role,
): object {
  const isAdmin = role === 'admin'
  const hidden = isSecret ? 'secret' : isLocation && !isAdmin ? 'admins_only' : null
  const isFileHidden = origin?.kind === 'file' && !isAdmin
  return {
    ...setting,
    value: hidden === null ? value : null,
    hidden,
    origin: origin && (isFileHidden ? { ...origin, name: undefined } : origin),
  }
}

const READINESS_TTL_MS = 10_000

/** Runs the checks at most every ten seconds: they write to the disk. Also returns their start, from `Clock.now`. */
export function recentReadiness(
  check: () => Promise<Readiness>,
  clock: Clock,
): () => Promise<Readiness & { readonly at: number }> {
  let last: { readonly result: Promise<Readiness>; readonly at: number } | undefined
  return async () => {
    const now = clock.now()
    if (last === undefined || now - last.at >= READINESS_TTL_MS) last = { result: check(), at: now }
    const { result, at } = last
    return { ...(await result), at }
  }
}
