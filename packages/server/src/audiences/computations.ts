import type { Computation, Destination, Json } from '@hookline/protocol'
import type { Backend } from '../backend/backend.ts'
import type { LoadedProfile } from '../backend/evaluations.ts'
import type { FactClause } from '../backend/facts.ts'
import type { Sync } from '../backend/syncs.ts'
import type { Clock } from '../util/time/clock.ts'
import { explain, type ExplainedPart } from './conditions/explain.ts'
import { type EvaluationPlan, valueOf } from './evaluation/evaluate-profile.ts'
import { isFilled, type Plans } from './evaluation/plans.ts'
import { preview, type PreviewedDefinition, type PreviewResult } from './preview.ts'
import { newSync } from './syncs/needed-syncs.ts'

interface ComputationsOptions extends Pick<
  Backend,
  'catalog' | 'evaluations' | 'followedLog' | 'memberships' | 'profiles' | 'syncs'
> {
  readonly plans: Plans
  readonly clock: Clock
  readonly beginProfiles: () => Promise<void>
  /** Whether profiles include every archived event. */
  readonly isCaughtUp: () => boolean
  /** Called when a sync is requested, or profiles are needed. */
  readonly onRequest: () => void
}

/**
 * `preparing`: the first sync, or the first after a change, is not done, or the computation is being deleted. `live`: evaluated in
 * real time. `paused`: live, but every destination is disabled, paused or deleted. `disabled`: not evaluated. `failed`: the last
 * sync failed.
 */
export type ComputationState = 'preparing' | 'live' | 'paused' | 'disabled' | 'failed'

interface Progress {
  readonly step: 'backfilling' | 'evaluating' | 'announcing'
  readonly done: number
  readonly total: number
}

export interface ComputationStatus {
  readonly state: ComputationState
  /** Explains the state, in one sentence; `null` if the state is self-explanatory. */
  readonly reason: string | null
  /** The number of profiles with a value; for an audience, of its members. */
  readonly size: number
  /** In events, profiles or users; `null` if no sync is open. */
  readonly progress: Progress | null
  /** The sync that is waiting or running. */
  readonly sync: Sync | null
  /** The last sync that ended. */
  readonly lastSync: Sync | null
  /** When the counted events begin, in milliseconds since the epoch; `null` if none are counted. */
  readonly reachesBackTo: number | null
}

/** Why a user has or lacks a value. */
export interface ExplainedValue {
  /** `undefined`: none, or not a member. */
  readonly value: Json | undefined
  /** When it was stored, in milliseconds since the epoch; `null` if it is not stored. */
  readonly since: number | null
  /** When time alone can next change it, in milliseconds since the epoch; `null`: never. */
  readonly changesAt: number | null
  /** For an audience: its condition, with the verdict on each part. */
  readonly condition?: readonly ExplainedPart[]
  /** For a computed trait: the number of its stored facts about the user. */
  readonly events?: number
}

export class Computations {
  readonly #options: ComputationsOptions

  constructor(options: ComputationsOptions) {
    this.#options = options
  }

  /** The statuses of the computations, in the order of the argument. */
  async statusesOf(computations: readonly Computation[]): Promise<readonly ComputationStatus[]> {
    const { catalog, memberships, profiles, syncs, plans } = this.#options
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const last = await syncs.last()
    const sizes = await memberships.sizes()
    const counts = new Map<string, number>()
    for (const { id, space } of computations)
      if (open.has(id) && !counts.has(space)) counts.set(space, await profiles.count(space))
    return computations.map((computation) => {
      const { id, space } = computation
      return statusOf(computation, {
        open: open.get(id),
        last: last.get(id),
        size: sizes.get(id) ?? 0,
        profiles: counts.get(space) ?? 0,
        clauses: plans.clausesOf(computation),
        destinations: catalog.current.destinations,
      })
    })
  }

  /** Records a sync, or returns the open one. `deleted` removes all values, then the computation. */
  async requestSync(computationId: string, reason: 'requested' | 'deleted'): Promise<Sync> {
    const { catalog, syncs, clock, onRequest } = this.#options
    const computation = catalog.current.computations.get(computationId)!
    const open = (await syncs.open()).find((sync) => sync.computationId === computationId)
    const isInProgress = open !== undefined && open.version === computation.version
    if (open?.reason === 'deleted' || (isInProgress && reason === 'requested')) return open
    const last = (await syncs.last()).get(computationId)
    const sync = newSync(computation, reason, { open, last, now: clock.wall() })
    await syncs.put(sync)
    onRequest()
    return sync
  }

  /** The users who would have a value. The first preview starts building profiles; sizes are inexact until that is complete. */
  async preview(previewed: PreviewedDefinition): Promise<PreviewResult> {
    const { plans, beginProfiles, onRequest } = this.#options
    await beginProfiles()
    const isCaughtUp = this.#options.isCaughtUp()
    if (!isCaughtUp) onRequest()
    const result = await preview(previewed, plans.clauses, this.#options)
    return { ...result, isExact: result.isExact && isCaughtUp }
  }

  /** `undefined` for a user without a profile. */
  async explain(computation: Computation, userId: string): Promise<ExplainedValue | undefined> {
    const { evaluations, plans, clock } = this.#options
    const profile = await evaluations.loadUser(computation.space, userId)
    if (profile === undefined) return undefined
    const since = profile.results.get(computation.id)?.since ?? null
    const rule = plans.ruleOf(computation)
    if (rule === undefined || rule === 'never') return { value: undefined, since, changesAt: null }
    return { since, ...this.#explain(computation, profile, rule, clock.wall()) }
  }

  #explain(
    computation: Computation,
    profile: LoadedProfile,
    rule: Exclude<EvaluationPlan['rule'], 'never'>,
    now: number,
  ): Omit<ExplainedValue, 'since'> {
    if ('compute' in rule) {
      const facts = profile.facts.get(rule.clause) ?? []
      const had = profile.results.has(computation.id)
      const { value, recheckAt } = valueOf(rule, profile, had, now)
      return { value, changesAt: recheckAt, events: facts.length }
    }
    const maxCounts = new Map(
      this.#options.plans.clauses.map(({ number, retention }) => [number, retention.maxCount]),
    )
    const saved = computation.kind === 'audience' ? computation.condition : null
    const condition = explain(saved, rule.condition, { profile, now, maxCounts })
    const { holds, changesAt } = condition[0]!
    return { value: holds || undefined, changesAt, condition }
  }
}

interface ComputationFacts {
  readonly open: Sync | undefined
  readonly last: Sync | undefined
  readonly size: number
  readonly profiles: number
  readonly clauses: readonly FactClause[]
  readonly destinations: ReadonlyMap<string, Destination>
}

function statusOf(computation: Computation, known: ComputationFacts): ComputationStatus {
  const { open, last, size, clauses } = known
  const starts = clauses.map(({ reachesBackTo }) => reachesBackTo).filter((at) => at !== null)
  return {
    ...stateOf(computation, known),
    size,
    progress: progressOf(known),
    sync: open ?? null,
    lastSync: last ?? null,
    reachesBackTo: starts.length === 0 ? null : Math.max(...starts),
  }
}

function stateOf(
  { enabled, version, destinationIds }: Computation,
  { open, last, clauses, destinations }: ComputationFacts,
): Pick<ComputationStatus, 'state' | 'reason'> {
  if (open?.reason === 'deleted')
    return {
      state: 'preparing',
      reason: 'Being deleted: destinations are notified about each user.',
    }
  if (!enabled) return { state: 'disabled', reason: null }
  if (last?.state === 'failed' && open === undefined) return { state: 'failed', reason: last.error }
  if (last?.version !== version) {
    const isFilling = !clauses.every(isFilled)
    const reason = isFilling
      ? 'Stored events are being counted.'
      : 'The first sync has not finished.'
    return { state: 'preparing', reason }
  }
  const isOff = (id: string): boolean => {
    const destination = destinations.get(id)
    return destination === undefined || !destination.enabled || destination.paused !== null
  }
  return destinationIds.length > 0 && destinationIds.every(isOff)
    ? { state: 'paused', reason: 'All of its destinations are disabled, paused or deleted.' }
    : { state: 'live', reason: null }
}

function progressOf({ open, size, profiles, clauses }: ComputationFacts): Progress | null {
  if (open === undefined) return null
  const filling = clauses.filter((clause) => !isFilled(clause))
  if (filling.length > 0) {
    const done = Math.min(...filling.map(({ filledThrough }) => filledThrough))
    return {
      step: 'backfilling',
      done,
      total: Math.max(...filling.map((each) => each.fillThrough)),
    }
  }
  return open.afterProfile === null
    ? { step: 'announcing', done: open.announced, total: Math.max(size, open.announced) }
    : { step: 'evaluating', done: open.evaluated, total: Math.max(profiles, open.evaluated) }
}
