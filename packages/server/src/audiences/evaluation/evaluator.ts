import type { Backend } from '../../backend/backend.ts'
import type { EvaluatedProfile, LoadedProfile } from '../../backend/evaluations.ts'
import type { ActivityListener, ChangeActivity } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { evaluateProfile } from './evaluate-profile.ts'
import type { Plans } from './plans.ts'

export interface EvaluatorOptions extends Pick<Backend, 'evaluations'> {
  readonly plans: Plans
  readonly activity: Pick<ActivityListener, 'received' | 'changed'>
  readonly metrics: Metrics
  readonly clock: Clock
}

/** How many profiles got a new value, and how many lost theirs. */
export interface ChangedProfiles {
  readonly entered: number
  readonly left: number
}

/** The number of profiles per write. */
const BATCH = 100

/** Evaluates profiles and stores the results. */
export class Evaluator {
  readonly #options: EvaluatorOptions
  /** Changes to the results of each computation's newest version, until a sync takes them. Lost on restart. */
  readonly #changes = new Map<string, ChangedProfiles & { readonly version: number }>()

  constructor(options: EvaluatorOptions) {
    this.#options = options
  }

  /** Evaluates a batch of dirty or due profiles. Resolves to whether there may be more. */
  async evaluateDue(): Promise<boolean> {
    const { evaluations, clock } = this.#options
    const profiles = await evaluations.due(clock.wall(), BATCH)
    const stored = await this.#evaluate(profiles, null)
    return profiles.length === BATCH || stored.length < profiles.length
  }

  /** Evaluates profiles for a sync. Resolves to the changes in its computation. */
  async evaluateAll(
    profileIds: readonly number[],
    { id, computationId }: { readonly id: string; readonly computationId: string },
  ): Promise<ChangedProfiles> {
    const changed = { entered: 0, left: 0 }
    for (let from = 0; from < profileIds.length; from += BATCH) {
      let waiting = profileIds.slice(from, from + BATCH)
      while (waiting.length > 0) {
        const profiles = await this.#options.evaluations.load(waiting)
        const stored = await this.#evaluate(profiles, id)
        const change = changesIn(stored).find((each) => each.computationId === computationId)
        changed.entered += change?.entered ?? 0
        changed.left += change?.left ?? 0
        // Profiles that were not stored have changed in the meantime: evaluate them again.
        const done = new Set(stored.map(({ profileId }) => profileId))
        waiting = profiles.map(({ profileId }) => profileId).filter((each) => !done.has(each))
      }
    }
    return changed
  }

  /** Changes by this version since the last call, in real time or by syncs. */
  takeChanges(computationId: string, version: number): ChangedProfiles {
    const changes = this.#changes.get(computationId)
    if (changes?.version !== version) return NO_CHANGES
    this.#changes.delete(computationId)
    return changes
  }

  async #evaluate(
    profiles: readonly LoadedProfile[],
    syncId: string | null,
  ): Promise<readonly EvaluatedProfile[]> {
    if (profiles.length === 0) return []
    const { evaluations, plans, activity, metrics, clock } = this.#options
    const [startedAt, now] = [clock.now(), clock.wall()]
    const versions = this.#versionsIn(new Set(profiles.map(({ space }) => space)))
    const evaluated = profiles.map((profile) =>
      evaluateProfile(profile, plans.of(profile.space), { now, syncId }),
    )
    const stored = await evaluations.commit(evaluated)
    const events = stored.flatMap(({ announcements }) => announcements.map(({ event }) => event))
    if (events.length > 0) activity.received(events)
    for (const change of changesIn(stored)) {
      activity.changed(change)
      this.#count(versions.get(change.computationId)!, change)
      metrics.audiences.changes.inc({ change: 'entered' }, change.entered)
      metrics.audiences.changes.inc({ change: 'left' }, change.left)
    }
    metrics.audiences.evaluation.observe((clock.now() - startedAt) / 1000)
    return stored
  }

  #count(version: number, { computationId, entered, left }: ChangeActivity): void {
    const before = this.#changes.get(computationId)
    // Evaluated with outdated plans.
    if (before !== undefined && before.version > version) return
    const sum = before?.version === version ? before : NO_CHANGES
    const changes = { version, entered: sum.entered + entered, left: sum.left + left }
    this.#changes.set(computationId, changes)
  }

  #versionsIn(spaces: ReadonlySet<string>): ReadonlyMap<string, number> {
    const plans = [...spaces].flatMap((space) => this.#options.plans.of(space))
    return new Map(plans.map(({ computation: { id, version } }) => [id, version]))
  }
}

const NO_CHANGES: ChangedProfiles = { entered: 0, left: 0 }

function changesIn(evaluated: readonly EvaluatedProfile[]): readonly ChangeActivity[] {
  const results = evaluated.flatMap((each) => each.results)
  const byComputation = Map.groupBy(results, ({ computationId }) => computationId)
  return [...byComputation].map(([computationId, changed]) => {
    const left = changed.filter(({ value }) => value === undefined).length
    return { computationId, entered: changed.length - left, left }
  })
}
