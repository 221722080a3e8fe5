import type { Logger } from '../telemetry/logger.ts'
import type { Backend } from '../backend/backend.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecurringWork } from '../util/time/recurring.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import type { Worker } from '../util/workers/worker.ts'
import { Computations } from './computations.ts'
import { Evaluator } from './evaluation/evaluator.ts'
import { Plans } from './evaluation/plans.ts'
import { ProfileWorker } from './profiles/profile-worker.ts'
import { Placeholders } from './profiles/profile-change.ts'
import { NeededSyncs } from './syncs/needed-syncs.ts'
import { SyncWorker } from './syncs/sync-worker.ts'

export interface AudiencesOptions {
  readonly config: {
    readonly maxAnonymousIds: number
    readonly placeholderIds: readonly string[]
  }
  readonly backend: Backend
  readonly activity: Pick<ActivityListener, 'received' | 'changed' | 'unlinked' | 'updated'>
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly metrics: Metrics
  readonly logger: Logger
}

/**
 * Profiles, audiences and computed traits, wired in one place:
 *
 *     log ─▶ profiles and facts ─▶ evaluation ─▶ results, and their identify calls ─▶ log
 *                                      ▲
 *             syncs ─ differences ─────┘
 */
export class Audiences {
  readonly computations: Computations
  readonly workers: readonly Worker[]
  readonly #profiles: ProfileWorker
  readonly #syncs: SyncWorker

  constructor(options: AudiencesOptions) {
    const { config, backend, metrics } = options
    const beginProfiles = () => backend.profiles.begin(config.maxAnonymousIds)
    const placeholders = new Placeholders(config.placeholderIds)
    const parts = { ...options, ...backend, placeholders, beginProfiles }
    const plans = new Plans(parts)
    const evaluator = new Evaluator({ ...parts, plans })
    const neededSyncs = new NeededSyncs(parts)
    const shared = { ...parts, plans, evaluator, neededSyncs }
    const onProgress = (): void => this.#syncs.wake()
    this.#profiles = new ProfileWorker({ ...shared, onProgress })
    const isCaughtUp = (): boolean => this.#profiles.isCaughtUp
    const replan = (): void => this.#profiles.replan()
    this.#syncs = new SyncWorker({ ...shared, isCaughtUp, onFilled: replan })
    this.computations = new Computations({ ...shared, isCaughtUp, onRequest: replan })
    this.workers = [this.#profiles, this.#syncs, traitIndexer(parts)]
    metrics.beforeScrape(() => this.#report(options))
  }

  /** Evaluates changed lists now. Call it after a change to a manual audience. */
  wake(): void {
    this.#profiles.wake()
  }

  async #report({ backend, clock, metrics }: AudiencesOptions): Promise<void> {
    const now = clock.wall()
    const { since } = await backend.evaluations.waiting(now)
    metrics.audiences.lag.set(since === null ? 0 : Math.max(0, now - since) / 1000)
    const sizes = await backend.memberships.sizes()
    metrics.audiences.members.reset()
    for (const { id, kind } of backend.catalog.current.computations.values())
      if (kind === 'audience') metrics.audiences.members.set({ audience: id }, sizes.get(id) ?? 0)
  }
}

/** How often the indexer checks for traits that were searched for the first time, perhaps on another node. */
const POLL_MS = 2_000
/** How long an unused index is kept. Each index slows down writes. */
const UNUSED_MS = 7 * 24 * 60 * 60 * 1000

/** Fills indexes of searched traits in slices, and removes unused ones. */
function traitIndexer({
  profiles,
  clock,
}: Pick<Backend, 'profiles'> & { readonly clock: Clock }): Worker {
  const work = async (signal: AbortSignal): Promise<number> => {
    const slices = new TimeSlices(clock)
    while (!signal.aborted && (await profiles.index(clock.wall() - UNUSED_MS)))
      await slices.yieldIfOver()
    return POLL_MS
  }
  const recurring = new RecurringWork({ clock, work })
  return { name: 'trait-indexes', run: (signal) => recurring.run(signal) }
}
