import { Recurring } from '../util/time/recurring.ts'
import type { Worker } from '../util/workers/worker.ts'
import type { Evaluator } from './evaluation/evaluator.ts'
import type { Plans } from './evaluation/plans.ts'
import type { NeededSyncs } from './syncs/needed-syncs.ts'
import {
  type Followed,
  ProfileFollower,
  type ProfileFollowerOptions,
} from './profiles/profile-follower.ts'

export interface ProfileWorkerOptions extends ProfileFollowerOptions {
  readonly beginProfiles: () => Promise<void>
  readonly evaluator: Evaluator
  readonly plans: Plans
  readonly neededSyncs: NeededSyncs
  /** The plans are new, or the end of the log is reached for the first time. */
  readonly onProgress: () => void
}

/** How long new events are collected before they are applied: a pass costs writes, however few events it has. */
const COLLECT_MS = 200
/** How often profiles are looked for whose verdict changes by time alone. */
const DUE_MS = 1_000

/**
 * Keeps profiles, and evaluates those that change:
 *
 *     new plans? ─▶ apply a slice of the log ─▶ evaluate what is dirty or due ─▶ again, until the end of the log ─▶ wait
 *
 * Events are applied and profiles evaluated in turn, so that a profile that changes all the time is evaluated, too. While
 * there is no computation, no profiles are kept, and it waits for the first one.
 */
export class ProfileWorker implements Worker {
  readonly name = 'profiles'
  readonly #options: ProfileWorkerOptions
  readonly #follower: ProfileFollower
  readonly #recurring: Recurring
  #hasNewPlans = true
  #isCaughtUp = false
  #isWaiting = false

  constructor(options: ProfileWorkerOptions) {
    this.#options = options
    this.#follower = new ProfileFollower(options)
    const { clock } = options
    this.#recurring = new Recurring({ clock, work: (signal) => this.#work(signal) })
  }

  /** Whether every event that the log had when this process began has been applied. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp
  }

  /** Profiles were made dirty by something else than an event. */
  wake(): void {
    this.#recurring.wake()
  }

  /** The catalog or the open syncs have changed. */
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

  /** The one wait for new events: passes in between, for profiles that are due, begin no other. */
  async #wakeAfter({ through }: Followed, signal: AbortSignal): Promise<void> {
    if (this.#isWaiting) return
    this.#isWaiting = true
    const { followedLog, clock } = this.#options
    await followedLog.appendedAfter(through, signal)
    this.#isWaiting = false
    this.#recurring.wakeBy(clock.now() + COLLECT_MS)
  }
}
