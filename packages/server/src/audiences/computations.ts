import type { Computation, Json } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import type { LoadedProfile } from '../backend/evaluations.ts'
import type { Sync } from '../backend/syncs.ts'
import type { Clock } from '../util/time/clock.ts'
import { computeValue } from './conditions/compute-value.ts'
import { explain, type Explanation } from './conditions/explain.ts'
import type { Plans } from './evaluation/plans.ts'
import { type ComputationStatus, statusOf } from './computation-status.ts'
import { preview, type Previewed, type PreviewResult } from './preview.ts'
import { newSync } from './syncs/needed-sync.ts'

export interface ComputationsOptions {
  readonly backend: Pick<
    Backend,
    'catalog' | 'evaluations' | 'facts' | 'followedLog' | 'memberships' | 'profiles' | 'syncs'
  >
  readonly plans: Plans
  readonly clock: Clock
  readonly beginProfiles: () => Promise<void>
  /** Whether profiles have all events of the archive. */
  readonly isCaughtUp: () => boolean
  /** A sync was requested, or profiles are kept from now on. */
  readonly onRequest: () => void
}

/** Why a user has a value, or none. */
export interface ExplainedValue {
  /** The value now; `undefined`: none, as of a user who is no member. */
  readonly value: Json | undefined
  /** Since when it is stored, in milliseconds since the epoch; `null` if it is not stored, or not yet. */
  readonly since: number | null
  /** When the value can next change by time alone, in milliseconds since the epoch; `null`: never. */
  readonly changesAt: number | null
  /** For an audience: its condition with the verdict of each part. */
  readonly condition?: Explanation
  /** For a computed trait: the number of events that are kept of the user. */
  readonly events?: number
}

/** Audiences and computed traits, as the management API asks about them. */
export class Computations {
  readonly #options: ComputationsOptions

  constructor(options: ComputationsOptions) {
    this.#options = options
  }

  /** The status of each of them, in the same order. */
  async statusesOf(computations: readonly Computation[]): Promise<readonly ComputationStatus[]> {
    const { backend, plans } = this.#options
    const { catalog, memberships, syncs } = backend
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const last = await syncs.last()
    const sizes = await memberships.sizes()
    const profiles = new Map<string, number>()
    for (const { id, space } of computations)
      if (open.has(id) && !profiles.has(space))
        profiles.set(space, await backend.profiles.count(space))
    return computations.map((computation) => {
      const { id, space } = computation
      return statusOf(computation, {
        open: open.get(id),
        last: last.get(id),
        size: sizes.get(id) ?? 0,
        profiles: profiles.get(space) ?? 0,
        clauses: plans.clausesOf(computation),
        destinations: catalog.current.destinations,
      })
    })
  }

  /**
   * Requests a sync, or returns the one that waits or runs. With the reason `deleted`, it announces to every user that the
   * value is gone, and then removes the computation. Durable when it resolves.
   */
  async requestSync(computationId: string, reason: 'requested' | 'deleted'): Promise<Sync> {
    const { backend, clock, onRequest } = this.#options
    const { catalog, syncs } = backend
    const computation = catalog.current.computations.get(computationId)!
    const open = (await syncs.open()).find((sync) => sync.computationId === computationId)
    const isUnderWay = open !== undefined && open.version === computation.version
    if (open?.reason === 'deleted' || (isUnderWay && reason === 'requested')) return open
    const last = (await syncs.last()).get(computationId)
    const sync = newSync(computation, reason, { open, last, now: clock.wall() })
    await syncs.put(sync)
    onRequest()
    return sync
  }

  /** Who would have a value. The first preview begins to keep profiles: until they have all events, sizes are not exact. */
  async preview(previewed: Previewed): Promise<PreviewResult> {
    const { backend, plans, clock, onRequest } = this.#options
    await this.#options.beginProfiles()
    const isCaughtUp = this.#options.isCaughtUp()
    if (!isCaughtUp) onRequest()
    const result = await preview(previewed, plans.clauses, { ...backend, clock })
    return { ...result, isExact: result.isExact && isCaughtUp }
  }

  /** Why a user has the value that it has; `undefined` for a user without a profile. */
  async explain(computation: Computation, userId: string): Promise<ExplainedValue | undefined> {
    const { backend, plans, clock } = this.#options
    const profile = await backend.evaluations.loadUser(computation.space, userId)
    if (profile === undefined) return undefined
    const since = profile.results.get(computation.id)?.since ?? null
    const rule = plans.ruleOf(computation)
    if (rule === undefined || rule === 'never') return { value: undefined, since, changesAt: null }
    return { since, ...this.#explain(computation, profile, rule, clock.wall()) }
  }

  #explain(
    computation: Computation,
    profile: LoadedProfile,
    rule: Exclude<NonNullable<ReturnType<Plans['ruleOf']>>, 'never'>,
    now: number,
  ): Omit<ExplainedValue, 'since'> {
    if ('compute' in rule) {
      const facts = profile.facts.get(rule.clause) ?? []
      const had = profile.results.has(computation.id)
      const { value, recheckAt } = computeValue(rule.compute, facts, now, had)
      return { value, changesAt: recheckAt, events: facts.length }
    }
    const most = new Map(
      this.#options.plans.clauses.map(({ number, keeping }) => [number, keeping.most]),
    )
    const given = computation.kind === 'audience' ? computation.condition : null
    const condition = explain(given, rule.condition, { profile, now, most })
    const changesAt = condition.changesAt === null ? null : Date.parse(condition.changesAt)
    return { value: condition.holds || undefined, changesAt, condition }
  }
}
