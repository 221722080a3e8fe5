import type { Computation } from '@hookline/protocol'
import type { Backend } from '../../backend/backend.ts'
import type { LoadedProfile } from '../../backend/evaluations.ts'
import type { AnnouncedUser } from '../../backend/memberships.ts'
import type { Sync } from '../../backend/syncs.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import { identifyOf } from '../evaluation/announcement.ts'
import { checkProfile, type Plan } from '../evaluation/evaluate-profile.ts'
import type { ChangedProfiles, Evaluator } from '../evaluation/evaluator.ts'

export interface SyncRunnerOptions extends Pick<
  Backend,
  'evaluations' | 'memberships' | 'profiles' | 'syncs'
> {
  readonly evaluator: Evaluator
  readonly activity: Pick<ActivityListener, 'received'>
  readonly clock: Clock
}

/** Profiles that one step looks at. */
const STEP_PROFILES = 5_000
/** Users whose value is told to an added destination with one append. */
const USERS = 500

/**
 * Runs syncs, step by step. A step is recorded when it is done, so a sync goes on after a restart where it was:
 *
 *     waiting ─▶ running: all profiles ─▶ all users, for added destinations ─▶ done
 *
 * A profile whose stored value differs is evaluated and stored by the evaluator, as in real time. So it agrees with evaluation
 * in real time, which goes on meanwhile.
 */
export class SyncRunner {
  readonly #options: SyncRunnerOptions

  constructor(options: SyncRunnerOptions) {
    this.#options = options
  }

  /** Takes one step. Resolves to the sync as it is recorded; `undefined` where another one has taken its place meanwhile. */
  async step(sync: Sync, plan: Plan): Promise<Sync | undefined> {
    const started: Sync = {
      ...sync,
      state: 'running',
      startedAt: sync.startedAt ?? this.#options.clock.wall(),
    }
    const next =
      started.afterProfile !== null
        ? await this.#walkProfiles(started, plan)
        : await this.#tellUsers(started, plan.computation)
    return (await this.#options.syncs.advance(sync, next)) ? next : undefined
  }

  /** Evaluates some profiles, and stores the values that differ. */
  async #walkProfiles(sync: Sync, plan: Plan): Promise<Sync> {
    const { id: computationId, space } = plan.computation
    const load = (after: number): Promise<readonly LoadedProfile[]> =>
      this.#options.evaluations.walk({ space, after, clauses: plan.clauses, computationId })
    let next = sync
    let profiles = await load(sync.afterProfile!)
    for (let last = profiles.at(-1); last !== undefined; last = profiles.at(-1)) {
      const isStep = next.looked + profiles.length - sync.looked >= STEP_PROFILES
      // The database loads the next batch while this one is looked at.
      const loading = isStep ? undefined : load(last.profileId)
      const [looked, loaded] = await Promise.all([this.#lookAt(profiles, next, plan), loading])
      next = { ...looked, afterProfile: last.profileId }
      if (loaded === undefined) break
      profiles = loaded
    }
    if (profiles.length === 0) next = { ...next, afterProfile: null }
    return isForNewDefinition(sync) ? this.#withTaken(next) : next
  }

  async #lookAt(profiles: readonly LoadedProfile[], sync: Sync, plan: Plan): Promise<Sync> {
    const { evaluator, clock } = this.#options
    const slices = new TimeSlices(clock)
    const found: number[] = []
    let missed = 0
    for (const profile of profiles) {
      await slices.yieldIfOver()
      const state = checkProfile(profile, plan, { now: clock.wall(), syncId: sync.id })
      if (state === 'missed') missed++
      if (state === 'late' ? isForNewDefinition(sync) : state !== 'right')
        found.push(profile.profileId)
    }
    const changes = await evaluator.evaluateAll(found, sync)
    return {
      ...(isForNewDefinition(sync) ? sync : withChanges(sync, changes)),
      looked: sync.looked + profiles.length,
      missed: sync.missed + (isCheck(sync) ? missed : 0),
    }
  }

  /** Tells an added destination the value of every user. */
  async #tellUsers(sync: Sync, computation: Computation): Promise<Sync> {
    const { memberships, profiles, evaluations, activity, clock } = this.#options
    // Read before the users: where one is purged in between, nobody is told, and the step is taken again.
    const { purges } = await profiles.state()
    const { addedDestinationIds: destinationIds, afterUser } = sync
    const users =
      destinationIds.length === 0
        ? []
        : await memberships.announced(computation.id, afterUser ?? '', USERS)
    const now = clock.wall()
    // With the time of the change that it tells: a later change has a later timestamp, whichever arrives first.
    const events = users.flatMap((user) => {
      const to = destinationIds.filter((each) => isNews(user, sync, each))
      const told = { ...user, computation, destinationIds: to, syncId: sync.id, now }
      return to.length > 0 ? [identifyOf(told)] : []
    })
    if (events.length > 0 && !(await evaluations.tell(events, purges))) return sync
    if (events.length > 0) activity.received(events)
    const isDone = users.length < USERS
    return {
      ...(isForNewDefinition(sync) ? this.#withTaken(sync) : sync),
      told: sync.told + events.length,
      afterUser: isDone ? null : users.at(-1)!.userId,
      ...(isDone && { state: 'done', finishedAt: now }),
    }
  }

  /** Counts whom the new definition has changed, also where evaluation in real time was faster. */
  #withTaken(sync: Sync): Sync {
    return withChanges(sync, this.#options.evaluator.takeChanges(sync.computationId, sync.version))
  }
}

function isForNewDefinition({ reason }: Sync): boolean {
  return reason === 'created' || reason === 'changed'
}

/** Whether it checks what evaluation in real time has stored. */
function isCheck({ reason }: Sync): boolean {
  return reason === 'daily' || reason === 'requested'
}

function withChanges(sync: Sync, { entered, left }: ChangedProfiles): Sync {
  return { ...sync, entered: sync.entered + entered, left: sync.left + left }
}

/** A destination that was one before may have heard of users who have no value any more. Others need not hear of these. */
function isNews({ value }: AnnouncedUser, sync: Sync, destinationId: string): boolean {
  const hasValue = value !== false && value !== null
  return hasValue || sync.formerDestinationIds.includes(destinationId)
}
