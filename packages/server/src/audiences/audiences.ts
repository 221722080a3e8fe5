import type { Logger } from '../telemetry/logger.ts'
import type { Backend } from '../backend/backend.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import type { Worker } from '../util/workers/worker.ts'
import { Computations } from './computations.ts'
import { Evaluator } from './evaluation/evaluator.ts'
import { Plans } from './evaluation/plans.ts'
import { ProfileWorker } from './profile-worker.ts'
import { Placeholders } from './profiles/placeholders.ts'
import { ProfileFollower } from './profiles/profile-follower.ts'
import { ClauseFiller } from './syncs/clause-filler.ts'
import { NeededSyncs } from './syncs/needed-syncs.ts'
import { SyncRunner } from './syncs/sync-runner.ts'
import { SyncWorker } from './sync-worker.ts'
import { TraitIndexer } from './trait-indexer.ts'

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
 *             syncs ─ what differs ────┘
 */
export class Audiences {
  /** For the management API. */
  readonly computations: Computations
  /** To be run by a supervisor. */
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
    const follower = new ProfileFollower(parts)
    const isCaughtUp = (): boolean => this.#profiles.isCaughtUp
    const neededSyncs = new NeededSyncs(parts)
    const onProgress = (): void => this.#syncs.wake()
    const replan = (): void => this.#profiles.replan()
    const shared = { ...parts, plans, neededSyncs }
    this.#profiles = new ProfileWorker({ ...shared, follower, evaluator, onProgress })
    this.#syncs = new SyncWorker({
      ...shared,
      filler: new ClauseFiller(parts),
      runner: new SyncRunner({ ...parts, evaluator }),
      isCaughtUp,
      onFilled: replan,
    })
    this.computations = new Computations({ ...shared, isCaughtUp, onRequest: replan })
    this.workers = [this.#profiles, this.#syncs, new TraitIndexer(parts)]
    metrics.beforeScrape(() => this.#report(options))
  }

  /** The list of a manual audience has changed. */
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
