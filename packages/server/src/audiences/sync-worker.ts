import type { Computation } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import { type Backend, BackendUnavailable } from '../backend/backend.ts'
import type { Sync } from '../backend/syncs.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import { Recurring } from '../util/time/recurring.ts'
import type { Worker } from '../util/workers/worker.ts'
import { fillClauses } from './archived-facts.ts'
import type { Plan } from './evaluation/evaluate-profile.ts'
import type { Plans } from './evaluation/plans.ts'
import { DAILY_MS, type NeededSyncs } from './syncs/needed-syncs.ts'
import { SyncRunner, type SyncRunnerOptions } from './syncs/sync-runner.ts'

export interface SyncWorkerOptions
  extends SyncRunnerOptions, Pick<Backend, 'catalog' | 'facts' | 'followedLog'> {
  readonly neededSyncs: NeededSyncs
  readonly plans: Plans
  /** Whether the profiles have all events of the archive. */
  readonly isCaughtUp: () => boolean
  /** Clauses are filled: what counts them can be planned. */
  readonly onFilled: () => void
  readonly activity: Pick<ActivityListener, 'received' | 'updated'>
  readonly metrics: Metrics
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly logger: Logger
}

/** How often it looks for syncs that are due. */
const LOOK_MS = 60_000

/**
 * Fills new clauses from the archive, runs the syncs that computations need, and removes unused data. Syncs
 * run one after the other, the oldest first; each of their steps is recorded.
 */
export class SyncWorker implements Worker {
  readonly name = 'syncs'
  readonly #options: SyncWorkerOptions
  readonly #runner: SyncRunner
  readonly #recurring: Recurring
  #prunedAt = -Infinity

  constructor(options: SyncWorkerOptions) {
    this.#options = options
    this.#runner = new SyncRunner(options)
    const { clock } = options
    this.#recurring = new Recurring({ clock, work: (signal) => this.#work(signal) })
  }

  /** The plans are new, or a sync was requested. */
  wake(): void {
    this.#recurring.wake()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { plans, neededSyncs, isCaughtUp, onFilled } = this.#options
    if (!isCaughtUp()) return LOOK_MS
    await neededSyncs.put()
    let isFilling = false
    while (!signal.aborted && (await fillClauses(plans.clauses, this.#options))) {
      isFilling = true
      await plans.readClauses()
    }
    if (isFilling) onFilled()
    await this.#runSyncs(signal)
    await this.#forget(signal)
    await this.#prune(signal)
    return LOOK_MS
  }

  async #runSyncs(signal: AbortSignal): Promise<void> {
    for (const sync of await this.#options.syncs.open()) {
      const computation = this.#options.catalog.current.computations.get(sync.computationId)
      if (computation !== undefined) await this.#runSync(sync, computation, signal)
    }
  }

  async #runSync(open: Sync, computation: Computation, signal: AbortSignal): Promise<void> {
    const { plans, metrics, logger } = this.#options
    let sync = open
    while (sync.state !== 'done' && !signal.aborted) {
      const plan = plans.find(computation)
      // Changed, disabled or to be deleted: another sync is for that, or the plan for this one comes.
      if (plan === undefined || !isPlanOf(plan, sync)) return
      try {
        const next = await this.#runner.step(sync, plan)
        // The next pass looks for its replacement.
        if (next === undefined) return this.wake()
        sync = next
        this.#report(computation)
      } catch (error) {
        if (error instanceof BackendUnavailable) throw error
        return this.#fail(sync, computation, error)
      }
    }
    if (sync.state !== 'done') return
    const { id, computationId, reason, entered, left, missed } = sync
    metrics.audiences.missed.inc(missed)
    const { name } = computation
    logger.info({ name, computationId, syncId: id, reason, entered, left, missed }, 'sync.done')
    if (reason === 'deleted') await this.#options.catalog.removeComputation(computationId)
  }

  async #fail(sync: Sync, computation: Computation, error: unknown): Promise<void> {
    const { syncs, clock, logger } = this.#options
    const { id, computationId } = sync
    logger.error({ name: computation.name, computationId, syncId: id, err: error }, 'sync.failed')
    const text = 'A fault in Hookline stopped it. The log has the error as sync.failed.'
    const end = { state: 'failed', finishedAt: clock.wall(), error: text } as const
    await syncs.advance(sync, { ...sync, ...end })
    this.#report(computation)
  }

  /** The sync has made progress, or has ended. */
  #report({ kind, id }: Computation): void {
    this.#options.activity.updated({ resource: kind === 'audience' ? 'audiences' : 'traits', id })
  }

  /** Removes what belongs to computations that are gone. */
  async #forget(signal: AbortSignal): Promise<void> {
    const { catalog, memberships, syncs } = this.#options
    // One that never had a value may have syncs nevertheless.
    const known = [
      ...(await memberships.sizes()).keys(),
      ...(await syncs.last()).keys(),
      ...(await syncs.open()).map(({ computationId }) => computationId),
    ]
    for (const id of new Set(known)) {
      if (catalog.current.computations.has(id)) continue
      while (!signal.aborted && (await memberships.forget(id)));
    }
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const { facts, clock, clockWatch } = this.#options
    if (clock.now() - this.#prunedAt < DAILY_MS) return
    this.#prunedAt = clock.now()
    const now = clockWatch.removalTime()
    let cursor: number | null = 0
    while (cursor !== null && !signal.aborted) cursor = await facts.prune({ now, cursor })
  }
}

/** A deletion needs the plan that gives nobody a value: with another one, it would tell nobody. */
function isPlanOf({ rule, computation }: Plan, { reason, version }: Sync): boolean {
  return reason === 'deleted'
    ? rule === 'never'
    : rule !== 'never' && computation.version === version
}
