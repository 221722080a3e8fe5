import type { Computation } from '@hookline/protocol'
import { type Backend, BackendUnavailableError } from '../../backend/backend.ts'
import type { LoadedProfile } from '../../backend/evaluations.ts'
import type { AnnouncedUser } from '../../backend/memberships.ts'
import type { Sync } from '../../backend/syncs.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { ClockWatch } from '../../util/workers/clock-watch.ts'
import type { Worker } from '../../util/workers/worker.ts'
import { fillClauses } from '../archived-facts.ts'
import { identifyOf } from '../evaluation/announcement.ts'
import { checkProfile, type EvaluationPlan } from '../evaluation/evaluate-profile.ts'
import type { ChangedProfiles, Evaluator } from '../evaluation/evaluator.ts'
import type { Plans } from '../evaluation/plans.ts'
import { DAILY_MS, type NeededSyncs } from './needed-syncs.ts'

interface SyncWorkerOptions extends Pick<
  Backend,
  'catalog' | 'evaluations' | 'facts' | 'followedLog' | 'memberships' | 'profiles' | 'syncs'
> {
  readonly evaluator: Evaluator
  readonly plans: Plans
  readonly neededSyncs: NeededSyncs
  /** Whether profiles have all archived events. */
  readonly isCaughtUp: () => boolean
  /** Called when clauses are filled and can be planned. */
  readonly onFilled: () => void
  readonly activity: Pick<ActivityListener, 'received' | 'updated'>
  readonly metrics: Metrics
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly logger: Logger
}

const POLL_MS = 60_000

/** Fills new clauses from the archive, runs needed syncs, oldest first, and removes unused data. */
export class SyncWorker implements Worker {
  readonly name = 'syncs'
  readonly #options: SyncWorkerOptions
  readonly #runner: SyncRunner
  readonly #recurring: RecurringWork
  #prunedAt = -Infinity

  constructor(options: SyncWorkerOptions) {
    this.#options = options
    this.#runner = new SyncRunner(options)
    const { clock } = options
    this.#recurring = new RecurringWork({ clock, work: (signal) => this.#work(signal) })
  }

  /** Looks for work now. Call it after new plans or a requested sync. */
  wake(): void {
    this.#recurring.wake()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { plans, neededSyncs, isCaughtUp, onFilled } = this.#options
    if (!isCaughtUp()) return POLL_MS
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
    return POLL_MS
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
      // Changed, disabled or being deleted: it waits for its plan, or another sync follows.
      if (plan === undefined || !isPlanOf(plan, sync)) return
      try {
        const next = await this.#runner.step(sync, plan)
        // Another sync has replaced it.
        if (next === undefined) return this.wake()
        sync = next
        this.#report(computation)
      } catch (error) {
        if (error instanceof BackendUnavailableError) throw error
        return this.#fail(sync, computation, error)
      }
    }
    if (sync.state !== 'done') return
    const { id, computationId, reason, entered, left, missed } = sync
    metrics.audiences.missed.inc(missed)
    const { name } = computation
    logger.info({ name, computationId, syncId: id, reason, entered, left, missed }, 'sync.finished')
    if (reason === 'deleted') await this.#options.catalog.removeComputation(computationId)
  }

  async #fail(sync: Sync, computation: Computation, error: unknown): Promise<void> {
    const { syncs, clock, logger } = this.#options
    const { id, computationId } = sync
    logger.error({ name: computation.name, computationId, syncId: id, err: error }, 'sync.failed')
    const text = 'A bug in Hookline stopped the sync. See sync.failed in the log.'
    const end = { state: 'failed', finishedAt: clock.wall(), error: text } as const
    await syncs.advance(sync, { ...sync, ...end })
    this.#report(computation)
  }

  #report({ kind, id }: Computation): void {
    this.#options.activity.updated({ resource: kind === 'audience' ? 'audiences' : 'traits', id })
  }

  /** Removes data of deleted computations. */
  async #forget(signal: AbortSignal): Promise<void> {
    const { catalog, memberships, syncs } = this.#options
    // Computations without values can have syncs.
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

/** A deletion needs the plan without values: with any other plan, it would not announce that the values are gone. */
function isPlanOf({ rule, computation }: EvaluationPlan, { reason, version }: Sync): boolean {
  return reason === 'deleted'
    ? rule === 'never'
    : rule !== 'never' && computation.version === version
}

/** The number of profiles per step. */
const STEP_PROFILES = 5_000
/** The number of users per append, for an added destination. */
const USERS_PER_APPEND = 500

/**
 * Runs syncs in recorded steps, which continue after a restart:
 *
 *     waiting ─▶ running: all profiles ─▶ all users, for added destinations ─▶ done
 *
 * Profiles whose stored values differ are evaluated as usual; real-time evaluation continues at the same time.
 */
class SyncRunner {
  readonly #options: SyncWorkerOptions

  constructor(options: SyncWorkerOptions) {
    this.#options = options
  }

  /** Takes one step. Resolves to the recorded sync; `undefined` if another has replaced it. */
  async step(sync: Sync, plan: EvaluationPlan): Promise<Sync | undefined> {
    const started: Sync = {
      ...sync,
      state: 'running',
      startedAt: sync.startedAt ?? this.#options.clock.wall(),
    }
    const next =
      started.afterProfile !== null
        ? await this.#walkProfiles(started, plan)
        : await this.#announceToUsers(started, plan.computation)
    return (await this.#options.syncs.advance(sync, next)) ? next : undefined
  }

  /** Evaluates some profiles, and stores values that differ. */
  async #walkProfiles(sync: Sync, plan: EvaluationPlan): Promise<Sync> {
    const { id: computationId, space } = plan.computation
    const load = (after: number): Promise<readonly LoadedProfile[]> =>
      this.#options.evaluations.walk({ space, after, clauses: plan.clauses, computationId })
    let next = sync
    let profiles = await load(sync.afterProfile!)
    for (let last = profiles.at(-1); last !== undefined; last = profiles.at(-1)) {
      const isStep = next.evaluated + profiles.length - sync.evaluated >= STEP_PROFILES
      // Load the next batch at the same time.
      const loading = isStep ? undefined : load(last.profileId)
      const [evaluated, loaded] = await Promise.all([
        this.#evaluateSome(profiles, next, plan),
        loading,
      ])
      next = { ...evaluated, afterProfile: last.profileId }
      if (loaded === undefined) break
      profiles = loaded
    }
    if (profiles.length === 0) next = { ...next, afterProfile: null }
    return isForNewDefinition(sync) ? this.#withNewChanges(next) : next
  }

  async #evaluateSome(
    profiles: readonly LoadedProfile[],
    sync: Sync,
    plan: EvaluationPlan,
  ): Promise<Sync> {
    const { evaluator, clock } = this.#options
    const slices = new TimeSlices(clock)
    const profileIds: number[] = []
    let missed = 0
    for (const profile of profiles) {
      await slices.yieldIfOver()
      const state = checkProfile(profile, plan, { now: clock.wall(), syncId: sync.id })
      if (state === 'missed') missed++
      if (state === 'late' ? isForNewDefinition(sync) : state !== 'right')
        profileIds.push(profile.profileId)
    }
    const changes = await evaluator.evaluateAll(profileIds, sync)
    return {
      ...(isForNewDefinition(sync) ? sync : withChanges(sync, changes)),
      evaluated: sync.evaluated + profiles.length,
      missed: sync.missed + (isCheck(sync) ? missed : 0),
    }
  }

  /** Announces the values of the next users to the added destinations. */
  async #announceToUsers(sync: Sync, computation: Computation): Promise<Sync> {
    const { memberships, profiles, evaluations, activity, clock } = this.#options
    // Read first: if a user is purged in between, nothing is announced and the step is repeated.
    const { purges } = await profiles.state()
    const { addedDestinationIds: destinationIds, afterUser } = sync
    const users =
      destinationIds.length === 0
        ? []
        : await memberships.announced(computation.id, afterUser ?? '', USERS_PER_APPEND)
    const now = clock.wall()
    // Events have the change's timestamp, so a later change wins in any order.
    const events = users.flatMap((user) => {
      const to = destinationIds.filter((each) => mustAnnounce(user, sync, each))
      const value = { ...user, computation, destinationIds: to, syncId: sync.id, now }
      return to.length > 0 ? [identifyOf(value)] : []
    })
    if (events.length > 0 && !(await evaluations.announce(events, purges))) return sync
    if (events.length > 0) activity.received(events)
    const isDone = users.length < USERS_PER_APPEND
    return {
      ...(isForNewDefinition(sync) ? this.#withNewChanges(sync) : sync),
      announced: sync.announced + events.length,
      afterUser: isDone ? null : users.at(-1)!.userId,
      ...(isDone && { state: 'done', finishedAt: now }),
    }
  }

  /** Adds the changes made with the new definition, in real time or by the sync, since the last step. */
  #withNewChanges(sync: Sync): Sync {
    return withChanges(sync, this.#options.evaluator.takeChanges(sync.computationId, sync.version))
  }
}

function isForNewDefinition({ reason }: Sync): boolean {
  return reason === 'created' || reason === 'changed'
}

function isCheck({ reason }: Sync): boolean {
  return reason === 'daily' || reason === 'requested'
}

function withChanges(sync: Sync, { entered, left }: ChangedProfiles): Sync {
  return { ...sync, entered: sync.entered + entered, left: sync.left + left }
}

/** Only former destinations may have received values that no longer exist. */
function mustAnnounce({ value }: AnnouncedUser, sync: Sync, destinationId: string): boolean {
  const hasValue = value !== false && value !== null
  return hasValue || sync.formerDestinationIds.includes(destinationId)
}
