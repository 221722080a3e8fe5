import type { Backend } from '../../backend/backend.ts'
import type { AppliedSlice, ProfileChange } from '../../backend/profiles.ts'
import type { UnreadableRecord } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { Worker } from '../../util/workers/worker.ts'
import type { EventMatcher } from '../conditions/match-event.ts'
import type { Evaluator } from '../evaluation/evaluator.ts'
import type { Plans } from '../evaluation/plans.ts'
import type { NeededSyncs } from '../syncs/needed-syncs.ts'
import { isOfUser, type Placeholders, profileChangeOf } from './profile-change.ts'

interface ProfileWorkerOptions extends Pick<
  Backend,
  'catalog' | 'deletions' | 'followedLog' | 'profiles' | 'quarantine'
> {
  readonly placeholders: Placeholders
  readonly beginProfiles: () => Promise<void>
  readonly evaluator: Evaluator
  readonly plans: Plans
  readonly neededSyncs: NeededSyncs
  /** Called when plans are new, or the end of the log is reached for the first time. */
  readonly onProgress: () => void
  readonly activity: Pick<ActivityListener, 'unlinked'>
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
}

/** How long new events are collected before a pass, because each pass writes. */
const COLLECT_MS = 200
/** How often the worker checks for profiles that change by time alone. */
const DUE_MS = 1_000

/** Alternates between applying events to profiles and evaluating dirty or due ones, so that neither starves. */
export class ProfileWorker implements Worker {
  readonly name = 'profiles'
  readonly #options: ProfileWorkerOptions
  readonly #follower: ProfileFollower
  readonly #recurring: RecurringWork
  #hasNewPlans = true
  #isCaughtUp = false
  #isWaiting = false

  constructor(options: ProfileWorkerOptions) {
    this.#options = options
    this.#follower = new ProfileFollower(options)
    const { clock } = options
    this.#recurring = new RecurringWork({ clock, work: (signal) => this.#work(signal) })
  }

  /** Whether all events that existed at startup are applied. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp
  }

  /** Evaluates dirty profiles now. Call it if something other than an event made profiles dirty. */
  wake(): void {
    this.#recurring.wake()
  }

  /** Makes new plans, and evaluates with them. Call it if the catalog or the open syncs changed. */
  replan(): void {
    this.#hasNewPlans = true
    this.#recurring.wake()
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = this.#options.catalog.onChange(() => this.replan())
    try {
      this.#hasNewPlans = true
      await this.#recurring.run(signal)
    } finally {
      stop()
    }
  }

  async #work(signal: AbortSignal): Promise<number> {
    for (;;) {
      if (this.#hasNewPlans) await this.#refresh()
      const followed = await this.#follower.step(this.#options.plans.matcher)
      if (followed === undefined) return Infinity
      await this.#evaluate(signal)
      if (signal.aborted) return Infinity
      if (!followed.isEnd) continue
      void this.#wakeAfter(followed, signal)
      if (!this.#isCaughtUp) {
        this.#isCaughtUp = true
        this.#options.onProgress()
      }
      return DUE_MS
    }
  }

  async #refresh(): Promise<void> {
    this.#hasNewPlans = false
    const { catalog, profiles, beginProfiles, neededSyncs, plans, onProgress } = this.#options
    const isNeeded = catalog.current.computations.size > 0
    if (isNeeded) await beginProfiles()
    if (isNeeded) await neededSyncs.put()
    if (isNeeded || (await profiles.state()).through !== null) await plans.refresh()
    onProgress()
  }

  async #evaluate(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.#options.evaluator.evaluateDue()));
  }

  /** Waits for new events, unless an earlier pass is already waiting: passes for due profiles must not start a second wait. */
  async #wakeAfter({ through }: ReadProgress, signal: AbortSignal): Promise<void> {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const { followedLog, clock } = this.#options
    await followedLog.appendedAfter(through, signal)
    this.#isWaiting = false
    this.#recurring.wakeBy(clock.now() + COLLECT_MS)
  }
}

/** The number of events per write: other writes wait for it. */
const SLICE_EVENTS = 500

/** An event that is not applied. */
type Fault = UnreadableRecord & { readonly err?: unknown }

const NOT_APPLIED = 'A bug in Hookline prevented this event from being applied to profiles.'

interface ReadProgress {
  readonly through: number
  /** Whether the end of the log was reached. */
  readonly isEnd: boolean
}

/** Applies the log to profiles, in slices. */
class ProfileFollower {
  readonly #options: ProfileWorkerOptions
  #largest = 0

  constructor(options: ProfileWorkerOptions) {
    this.#options = options
  }

  /** Applies the next slice. `undefined` before profiles are first needed. */
  async step(matcher: EventMatcher): Promise<ReadProgress | undefined> {
    const { catalog, followedLog, profiles, deletions, placeholders, clock } = this.#options
    // Read first: if a user is purged in between, the slice is refused.
    const { through: after, purges } = await profiles.state()
    if (after === null) return undefined
    const slice = await followedLog.read({ after, limit: SLICE_EVENTS })
    const { events, through, isEnd, unreadable = [] } = slice
    if (through === after) return { through, isEnd }
    const changes: ProfileChange[] = []
    const faulty: Fault[] = [...unreadable]
    const slices = new TimeSlices(clock)
    for (const each of events) {
      // Parsing is slow.
      await slices.yieldIfOver()
      try {
        if (isOfUser(each) && !deletions.isPurged(each.event))
          changes.push(profileChangeOf(each, { catalog, placeholders, matcher }))
      } catch (err) {
        faulty.push({ id: each.event.id, reason: NOT_APPLIED, err })
      }
    }
    await this.#quarantine(faulty)
    const applied = await profiles.apply({ after, through, changes, purges, at: clock.wall() })
    if (applied === undefined) return { through: after, isEnd: false }
    this.#report(applied)
    return { through, isEnd }
  }

  #report({ unlinked, largest }: AppliedSlice): void {
    const { activity, metrics } = this.#options
    for (const each of unlinked) {
      activity.unlinked(each)
      metrics.profiles.unlinked.inc({ reason: each.reason }, each.ids)
    }
    this.#largest = Math.max(this.#largest, largest)
    metrics.profiles.largest.set(this.#largest)
  }

  async #quarantine(faulty: readonly Fault[]): Promise<void> {
    if (faulty.length === 0) return
    const { quarantine, clock, logger } = this.#options
    const at = clock.wall()
    await quarantine.add(faulty.map(({ id, reason }) => ({ id, reason, at })))
    for (const each of faulty) logger.error(each, 'quarantine.added')
  }
}
