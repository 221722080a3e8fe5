import type { Evaluated, Evaluations, LoadedProfile } from '../../backend/evaluations.ts'
import type { ActivityListener, ChangeActivity } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { type ChangedProfiles, ChangeTally } from './change-tally.ts'
import { evaluateProfile } from './evaluate-profile.ts'
import type { Plans } from './plans.ts'

export interface EvaluatorOptions {
  readonly evaluations: Evaluations
  readonly plans: Plans
  readonly activity: Pick<ActivityListener, 'received' | 'changed'>
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Profiles that are evaluated together, and stored in one write. */
const BATCH = 100

/** Evaluates profiles and stores what came of it: the one way in which results change. */
export class Evaluator {
  readonly #options: EvaluatorOptions
  readonly #tally = new ChangeTally()

  constructor(options: EvaluatorOptions) {
    this.#options = options
  }

  /** Evaluates some of the profiles that are dirty or due. Resolves to whether there may be more. */
  async evaluateDue(): Promise<boolean> {
    const { evaluations, clock } = this.#options
    const profiles = await evaluations.due(clock.wall(), BATCH)
    const stored = await this.#evaluate(profiles, null)
    return profiles.length === BATCH || stored.length < profiles.length
  }

  /** Evaluates these profiles for a sync. Resolves to what has changed of its computation. */
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
        // Those left out were evaluated meanwhile, perhaps with plans that did not have the computation yet.
        const done = new Set(stored.map(({ profileId }) => profileId))
        waiting = profiles.map(({ profileId }) => profileId).filter((each) => !done.has(each))
      }
    }
    return changed
  }

  /** What this version of a computation has changed since the last call, by a sync or in real time. */
  takeChanges(computationId: string, version: number): ChangedProfiles {
    return this.#tally.take(computationId, version)
  }

  async #evaluate(
    profiles: readonly LoadedProfile[],
    syncId: string | null,
  ): Promise<readonly Evaluated[]> {
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
      this.#tally.add(versions.get(change.computationId)!, change)
      metrics.audiences.changes.inc({ change: 'entered' }, change.entered)
      metrics.audiences.changes.inc({ change: 'left' }, change.left)
    }
    metrics.audiences.evaluation.observe((clock.now() - startedAt) / 1000)
    return stored
  }

  /** The versions of the computations that are evaluated now. */
  #versionsIn(spaces: ReadonlySet<string>): ReadonlyMap<string, number> {
    const plans = [...spaces].flatMap((space) => this.#options.plans.of(space))
    return new Map(plans.map(({ computation: { id, version } }) => [id, version]))
  }
}

/** The changes of each computation that has any. */
function changesIn(evaluated: readonly Evaluated[]): readonly ChangeActivity[] {
  const results = evaluated.flatMap((each) => each.results)
  const byComputation = Map.groupBy(results, ({ computationId }) => computationId)
  return [...byComputation].map(([computationId, changed]) => {
    const left = changed.filter(({ value }) => value === undefined).length
    return { computationId, entered: changed.length - left, left }
  })
}
