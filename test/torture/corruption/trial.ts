import { rebuildInto } from '@hookline/server'
import type { CorruptionBase } from './bases.ts'
import { readEvents } from './database.ts'
import type { Host } from './host.ts'
import { type Lane, RunningTrial } from './running-trial.ts'
import { type ReportedCorruption, reportedBy } from './reported.ts'

/** How a service behaved on a corrupted folder. */
export interface Observation {
  /** The messages of refused starts. */
  readonly refusals: readonly string[]
  readonly end: 'refused' | 'ready' | 'not ready' | 'ended'
  /** Why the service is not ready or has ended. */
  readonly reason: string
  readonly newEvent: string
  /** Sequence numbers of events that are neither delivered, pending nor held at some webhook. */
  readonly lost: ReadonlySet<number>
  /** Why a request to the management API failed. */
  readonly apiFault: string | undefined
  /** messageIds of events that arrived with different content. */
  readonly changed: readonly string[]
  /** Sequence numbers of events that are missing from the database, or changed. */
  readonly missing: ReadonlySet<number>
  readonly reported: ReportedCorruption
}

const MAX_STARTS = 5
const MAX_RESTARTS = 2

/**
 * Starts the service on a corrupted folder, as an operator who follows its messages would, and observes it. A service that
 * stops unexpectedly is restarted.
 */
export async function observe(
  folder: string,
  base: CorruptionBase,
  lane: Lane,
): Promise<Observation> {
  lane.receiver.forget()
  lane.receiver.isDown = false
  let observed = await observeStart(folder, base, lane)
  for (let restarts = 0; restarts < MAX_RESTARTS && observed.end === 'ended'; restarts++)
    observed = await observeStart(folder, base, lane)
  return observed
}

async function observeStart(
  folder: string,
  base: CorruptionBase,
  lane: Lane,
): Promise<Observation> {
  const { host } = lane
  const { opened, refusals } = await openFollowing(host, folder)
  const nothing = {
    refusals,
    apiFault: undefined,
    reason: '',
    newEvent: '',
    lost: new Set<number>(),
    changed: [],
    missing: new Set<number>(),
    reported: { texts: [], quarantined: new Set<number>(), hasStray: false },
  }
  if (opened === undefined) return { ...nothing, end: 'refused' }
  const running = new RunningTrial(opened, base, lane)
  const { isReady, reason } = await running.readiness()
  if (!isReady) {
    const end = host.ended === undefined ? 'not ready' : 'ended'
    await host.close()
    return { ...nothing, end, reason: host.ended ?? reason }
  }
  const newEvent = await running.sendNew(refusals.length > 0)
  const lost = await running.lost()
  const { ended } = host
  await host.close()
  return {
    refusals,
    end: ended === undefined ? 'ready' : 'ended',
    reason: ended ?? '',
    newEvent,
    lost,
    apiFault: running.apiFault,
    changed: running.changed(),
    missing: missingFrom(folder, base),
    reported: reportedBy(folder, base),
  }
}

/** Starts the service until it runs: accepts the losses that it reports, and rebuilds a corrupted database. */
async function openFollowing(host: Host, folder: string) {
  const refusals: string[] = []
  let accepted: number | undefined
  for (let starts = 0; starts < MAX_STARTS; starts++) {
    const opened = await host.open(folder, accepted)
    if (opened.kind === 'opened') return { opened, refusals }
    refusals.push(opened.reason)
    const [, named] = /--accept-loss (\d+)/.exec(opened.reason) ?? []
    if (named !== undefined) accepted = Number(named)
    else if (opened.reason.includes('hookline rebuild')) {
      const failure = await rebuildInto(folder).then(() => undefined, String)
      if (failure === undefined) continue
      refusals.push(failure)
      break
    } else break
  }
  return { opened: undefined, refusals }
}

/** The sequence numbers of events in the base that are missing or changed. */
function missingFrom(folder: string, { events }: CorruptionBase): Set<number> {
  const seqs = events.map(({ seq }) => seq)
  const bodies = new Map(readEvents(folder, seqs).map(({ id, body }) => [id, body]))
  const missing = events.filter(({ id, body }) => bodies.get(id) !== body)
  return new Set(missing.map(({ seq }) => seq))
}
