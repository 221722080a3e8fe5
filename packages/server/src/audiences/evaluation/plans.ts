import type { Computation } from '@hookline/protocol'
import type { Backend } from '../../backend/backend.ts'
import type { FactClause } from '../../backend/facts.ts'
import type { Sync } from '../../backend/syncs.ts'
import { clausesOf, neededClauses } from '../conditions/clauses.ts'
import { EventMatcher } from '../conditions/match-event.ts'
import { planAudience } from '../conditions/plan-condition.ts'
import { dependenciesOf, inEvaluationOrder } from '../conditions/references.ts'
import type { EvaluationPlan } from './evaluate-profile.ts'

type PlansOptions = Pick<Backend, 'catalog' | 'facts' | 'followedLog' | 'syncs'>

const NONE: readonly EvaluationPlan[] = []

/** Plans for enabled computations with filled clauses and for those being deleted, and the matcher that finds the facts of an event. */
export class Plans {
  readonly #options: PlansOptions
  #bySpace = new Map<string, EvaluationPlan[]>()
  #clauses: readonly FactClause[] = []
  #matcher = new EventMatcher([])

  constructor(options: PlansOptions) {
    this.#options = options
  }

  /** Plans of a space, in evaluation order. */
  of(space: string): readonly EvaluationPlan[] {
    return this.#bySpace.get(space) ?? NONE
  }

  /** `undefined` while it is disabled, its clauses are being filled, or its dependencies have no values yet. */
  find(computation: Computation): EvaluationPlan | undefined {
    return this.of(computation.space).find((plan) => plan.computation.id === computation.id)
  }

  /** The rule of a computation, even without a plan. `undefined` until `refresh` has stored its clauses. */
  ruleOf(computation: Computation): EvaluationPlan['rule'] | undefined {
    const { computations } = this.#options.catalog.current
    const clauses = new Map(this.#clauses.map(({ definition, number }) => [definition, number]))
    const counted = this.clausesOf(computation)
    const needed = new Set(clausesOf(computation).map(({ definition }) => definition))
    if (counted.length < needed.size) return undefined
    const context = { clauses, space: computation.space, computations }
    return computation.kind === 'trait'
      ? { compute: computation.compute, clause: counted[0]!.number }
      : { condition: planAudience(computation, context) }
  }

  get clauses(): readonly FactClause[] {
    return this.#clauses
  }

  get matcher(): EventMatcher {
    return this.#matcher
  }

  /** Stored clauses that a computation counts. */
  clausesOf(computation: Computation): readonly FactClause[] {
    const definitions = new Set(clausesOf(computation).map(({ definition }) => definition))
    return this.#clauses.filter(({ definition }) => definitions.has(definition))
  }

  /**
   * Adds needed clauses, removes unused ones, and plans everything again. Call it between slices of the log, because a clause
   * counts events after its position. Never call it during evaluation, which could overwrite results of a newer plan.
   */
  async refresh(): Promise<void> {
    const { catalog, facts } = this.#options
    const { computations } = catalog.current
    const needed = neededClauses(computations.values())
    for (const clause of await facts.clauses())
      if (!needed.has(clause.definition)) await facts.remove(clause.number)
    if (needed.size > 0) {
      const reachesBackTo = await this.#oldestEvent()
      for (const [definition, retention] of needed)
        await facts.put({ definition, retention, reachesBackTo })
    }
    await this.#replan(computations)
  }

  async readClauses(): Promise<void> {
    this.#clauses = await this.#options.facts.clauses()
  }

  /** Plans the given computations; clauses of newer ones are not stored yet. */
  async #replan(computations: ReadonlyMap<string, Computation>): Promise<void> {
    const { syncs } = this.#options
    await this.readClauses()
    this.#matcher = new EventMatcher(this.#clauses)
    const open = await syncs.open()
    const last = await syncs.last()
    this.#bySpace = new Map()
    for (const computation of inEvaluationOrder(computations)) {
      const { id, space } = computation
      const openSyncs = open.filter(({ computationId }) => computationId === id)
      const plan = isBeingDeleted(openSyncs, last.get(id))
        ? { computation, clauses: [], rule: 'never' as const }
        : this.#planOf(computation, computations, openSyncs, last)
      if (plan !== undefined) this.#bySpace.set(space, [...this.of(space), plan])
    }
  }

  /** @param last the last ended sync of each computation */
  #planOf(
    computation: Computation,
    computations: ReadonlyMap<string, Computation>,
    openSyncs: readonly Sync[],
    last: ReadonlyMap<string, Sync>,
  ): EvaluationPlan | undefined {
    const { id, enabled, version } = computation
    const ended = last.get(id)
    // A sync of this version records which destinations get every change.
    const isRecorded = [...openSyncs, ended].some((sync) => sync?.version === version)
    if (!enabled || !isRecorded) return undefined
    const counted = this.clausesOf(computation)
    // If a sync of this version is done, all facts are there, even while a clause is filled again for another computation.
    const wasReady = ended?.version === version && ended.state === 'done'
    if (!wasReady && !counted.every(isFilled)) return undefined
    // Wait for the first values of the dependencies, unless the computation was ready before.
    const isEarly = dependenciesOf(computation, computations).some(
      (each) => each.enabled && !last.has(each.id) && this.find(each) === undefined,
    )
    const rule = isEarly && !wasReady ? undefined : this.ruleOf(computation)
    return rule && { computation, clauses: counted.map(({ number }) => number), rule }
  }

  async #oldestEvent(): Promise<number | null> {
    const { events } = await this.#options.followedLog.read({ after: 0, limit: 1 })
    const [oldest] = events
    return oldest === undefined ? null : Date.parse(oldest.event.event.receivedAt)
  }
}

/**
 * Whether the computation is being deleted, or was deleted a moment ago: it is kept in the catalog briefly after its last
 * announcement.
 */
function isBeingDeleted(open: readonly Sync[], last: Sync | undefined): boolean {
  const isOver = last?.reason === 'deleted' && last.state === 'done'
  return isOver || open.some(({ reason }) => reason === 'deleted')
}

/** Whether the whole archive is counted. */
export function isFilled({ filledThrough, fillThrough }: FactClause): boolean {
  return filledThrough >= fillThrough
}
