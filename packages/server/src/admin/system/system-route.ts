import { formatTimestamp } from '@hookline/protocol'
import type { Behind, Inventory } from '../../backend/upkeep.ts'
import { shownAt } from '../../util/time/clock.ts'
import { isRoleEnough } from '../access/route-roles.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { timeOrNull } from '../api/schema-parts.ts'
import { presentSetting } from './present-settings.ts'
import { RecentReadiness } from './recent-readiness.ts'
import { systemSchema } from './system-schema.ts'

/** The newest damages that are shown. */
const MOST_DAMAGES = 20

/** `/system`: the service itself. */
export function addSystemRoute(app: AdminApp, deps: AdminDeps): void {
  const { system, clock, upkeep } = deps
  const readiness = new RecentReadiness(system.readiness, clock)

  app.get('/system', { schema: systemSchema }, async ({ actor }) => {
    const isAdmin = isRoleEnough(actor.role, 'admin')
    const [{ status, checks, at }, inventory, failing] = await Promise.all([
      readiness.read(),
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
      lastBackupAt: timeOrNull(deps.backups.lastAt),
      settings: system.settings.map((setting) => presentSetting(setting, actor.role)),
    }
  })
}

function processOf({ system, clock }: AdminDeps): object {
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

function nodesOf({ nodes }: AdminDeps): object[] {
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

async function damagesOf({ upkeep }: AdminDeps): Promise<object[]> {
  const found = await upkeep.damages(MOST_DAMAGES)
  return found.map((each) => ({ ...each, foundAt: formatTimestamp(each.foundAt) }))
}

async function storageOf(
  { databaseBytes, logBytes, freeBytes, events, oldestEventAt }: Inventory,
  { upkeep, system: { retentionMs, retentionMaxBytes } }: AdminDeps,
): Promise<object> {
  return {
    usedBytes: await upkeep.usedBytes(),
    databaseBytes,
    logBytes,
    freeBytes,
    events: events.count,
    isExact: events.isExact,
    oldestEventAt: timeOrNull(oldestEventAt),
    retentionMs,
    retentionMaxBytes: retentionMaxBytes === 0 ? null : retentionMaxBytes,
  }
}

async function backlogOf(
  { undecided, notInProfiles, openReplays, openDeletions }: Inventory,
  { upkeep, clock }: AdminDeps,
): Promise<object> {
  const { waiting, oldestPendingAt = null, quarantined } = await upkeep.backlog()
  const count = (state: 'pending' | 'held'): number =>
    waiting.reduce((sum, each) => sum + (each.state === state ? each.count : 0), 0)
  const behind = ({ events, oldestAt }: Behind): object => ({
    events,
    oldestAt: timeOrNull(oldestAt),
    ageMs: ageMs(oldestAt, clock.wall()),
  })
  return {
    undecided: behind(undecided),
    notInProfiles: notInProfiles && behind(notInProfiles),
    pending: count('pending'),
    held: count('held'),
    oldestPendingAt: timeOrNull(oldestPendingAt && shownAt(oldestPendingAt, clock)),
    oldestPendingAgeMs: ageMs(oldestPendingAt, clock.now()),
    quarantined,
    openReplays,
    openDeletions,
  }
}

function ageMs(since: number | null, now: number): number | null {
  return since === null ? null : Math.max(0, now - since)
}
