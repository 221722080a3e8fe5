import type { Evaluated, Evaluations, LoadedProfile } from '../../backend/evaluations.ts'
import type { ActivityListener, ChangeActivity } from '../../telemetry/activity-listener.ts'
import type { Clock } from '../../util/clock.ts'
import { evaluateProfile } from './evaluate-profile.ts'
import type { Plans } from './plans.ts'

export interface EvaluatorOptions {
  readonly evaluations: Evaluations
  readonly plans: Plans
  readonly activity: Pick<ActivityListener, 'received' | 'changed'>
  readonly clock: Clock
}

/** Profiles that are evaluated together, and stored in one write. */
const BATCH = 100

/** What an evaluation of some profiles has changed. */
export interface Changes {
  readonly profiles: number
  readonly entered: number
  readonly left: number
}

/** Evaluates profiles and stores what came of it: the one way in which results change. */
export class Evaluator {
  readonly #options: EvaluatorOptions

  constructor(options: EvaluatorOptions) {
    this.#options = options
  }

  /** Evaluates some of the profiles that are dirty or due. `profiles` is 0 when none is left. */
  async evaluateDue(): Promise<Changes> {
    const { evaluations, clock } = this.#options
    return this.#evaluate(await evaluations.due(clock.now(), BATCH), null)
  }

  /** Evaluates these profiles, for a sync of one computation, whose changes it counts. */
  async evaluateAll(profileIds: readonly number[], sync: { id: string; computationId: string }) {
    let entered = 0
    let left = 0
    for (let from = 0; from < profileIds.length; from += BATCH) {
      const profiles = await this.#options.evaluations.load(profileIds.slice(from, from + BATCH))
      const changes = await this.#evaluate(profiles, sync)
      entered += changes.entered
      left += changes.left
    }
    return { profiles: profileIds.length, entered, left }
  }

  async #evaluate(
    profiles: readonly LoadedProfile[],
    sync: { readonly id: string; readonly computationId: string } | null,
  ): Promise<Changes> {
    if (profiles.length === 0) return { profiles: 0, entered: 0, left: 0 }
    const { evaluations, plans, activity, clock } = this.#options
    const moment = { now: clock.now(), syncId: sync?.id ?? null }
    const evaluated = profiles.map((profile) =>
      evaluateProfile(profile, plans.of(profile.space), moment),
    )
    const stored = await evaluations.commit(evaluated)
    const events = stored.flatMap(({ announcements }) => announcements.map(({ event }) => event))
    if (events.length > 0) activity.received(events)
    const changes = changesIn(stored)
    for (const change of changes) activity.changed(change)
    const counted = changes.filter(
      ({ computationId }) => sync === null || computationId === sync.computationId,
    )
    return {
      profiles: profiles.length,
      entered: counted.reduce((sum, { entered }) => sum + entered, 0),
      left: counted.reduce((sum, { left }) => sum + left, 0),
    }
  }
}

/** The changes of each computation that has any. */
function changesIn(stored: readonly Evaluated[]): readonly ChangeActivity[] {
  const results = stored.flatMap((each) => each.results)
  const byComputation = Map.groupBy(results, ({ computationId }) => computationId)
  return [...byComputation].map(([computationId, changed]) => {
    const left = changed.filter(({ value }) => value === undefined).length
    return { computationId, entered: changed.length - left, left }
  })
}
