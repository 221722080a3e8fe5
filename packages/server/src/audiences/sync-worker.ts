import type { Computation } from '@hookline/protocol'
import type { Logger } from 'pino'
import { BackendUnavailable } from '../backend/backend.ts'
import type { Catalog } from '../backend/catalog.ts'
import type { Facts } from '../backend/facts.ts'
import type { Memberships } from '../backend/memberships.ts'
import type { Sync, Syncs } from '../backend/syncs.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/clock.ts'
import { Recurring } from '../util/recurring.ts'
import type { Worker } from '../util/worker.ts'
import type { Plans } from './evaluation/plans.ts'
import type { ClauseFiller } from './syncs/clause-filler.ts'
import { DAILY_MS, neededSync } from './syncs/needed-sync.ts'
import type { SyncRunner } from './syncs/sync-runner.ts'

export interface SyncWorkerOptions {
  readonly catalog: Pick<Catalog, 'current' | 'removeComputation'>
  readonly facts: Pick<Facts, 'prune'>
  readonly memberships: Pick<Memberships, 'sizes' | 'forget'>
  readonly syncs: Pick<Syncs, 'put' | 'open' | 'last'>
  readonly filler: ClauseFiller
  readonly runner: SyncRunner
  readonly plans: Plans
  /** Whether the profiles have all events of the archive. */
  readonly isCaughtUp: () => boolean
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
}

/** How often it looks for syncs that are due. */
const LOOK_MS = 60_000

/**
 * Fills new clauses from the archive, runs the syncs that computations need, and removes what nobody needs any more. Syncs
 * run one after the other, the oldest first; each of their steps is recorded.
 */
export class SyncWorker implements Worker {
  readonly name = 'syncs'
  readonly #options: SyncWorkerOptions
  readonly #recurring: Recurring
  #prunedAt = -Infinity

  constructor(options: SyncWorkerOptions) {
    this.#options = options
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
    const { plans, filler, isCaughtUp } = this.#options
    if (!isCaughtUp()) return LOOK_MS
    await this.#putNeeded()
    let isFilling = false
    while (!signal.aborted && (await filler.step(plans.clauses))) {
      isFilling = true
      await plans.replan()
    }
    if (isFilling) await plans.replan()
    await this.#runSyncs(signal)
    await this.#forget(signal)
    await this.#prune(signal)
    return LOOK_MS
  }

  async #putNeeded(): Promise<void> {
    const { catalog, syncs, clock } = this.#options
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const last = await syncs.last()
    for (const computation of catalog.current.computations.values()) {
      const { id } = computation
      const context = { open: open.get(id), last: last.get(id), now: clock.now() }
      const sync = neededSync(computation, context)
      if (sync !== undefined) await syncs.put(sync)
    }
  }

  async #runSyncs(signal: AbortSignal): Promise<void> {
    for (const sync of await this.#options.syncs.open()) {
      const computation = this.#options.catalog.current.computations.get(sync.computationId)
      if (computation !== undefined) await this.#runSync(sync, computation, signal)
    }
  }

  async #runSync(open: Sync, computation: Computation, signal: AbortSignal): Promise<void> {
    const { plans, runner, metrics, logger } = this.#options
    let sync = open
    while (sync.state !== 'done' && !signal.aborted) {
      const plan = plans.find(computation)
      // Changed or disabled meanwhile: another sync is for that.
      if (plan?.computation.version !== sync.version) return
      try {
        sync = await runner.step(sync, plan)
      } catch (error) {
        if (error instanceof BackendUnavailable) throw error
        return this.#fail(sync, error)
      }
    }
    if (sync.state !== 'done') return
    const { id, computationId, reason, entered, left, missed } = sync
    metrics.audiences.missed.inc(missed)
    logger.info({ syncId: id, computationId, reason, entered, left, missed }, 'sync.done')
    if (reason === 'deleted') await this.#options.catalog.removeComputation(computationId)
  }

  async #fail(sync: Sync, error: unknown): Promise<void> {
    const { syncs, clock, logger } = this.#options
    const { id, computationId } = sync
    logger.error({ err: error, syncId: id, computationId }, 'sync.failed')
    const text = 'A fault in Hookline stopped it. The log has the error as sync.failed.'
    await syncs.put({ ...sync, state: 'failed', finishedAt: clock.now(), error: text })
  }

  /** Removes what belongs to computations that are gone. */
  async #forget(signal: AbortSignal): Promise<void> {
    const { catalog, memberships } = this.#options
    for (const id of (await memberships.sizes()).keys()) {
      if (catalog.current.computations.has(id)) continue
      while (!signal.aborted && (await memberships.forget(id)));
    }
  }

  async #prune(signal: AbortSignal): Promise<void> {
    const { facts, clock } = this.#options
    const now = clock.now()
    if (Math.abs(now - this.#prunedAt) < DAILY_MS) return
    this.#prunedAt = now
    let cursor: number | null = 0
    while (cursor !== null && !signal.aborted) cursor = await facts.prune({ now, cursor })
  }
}
