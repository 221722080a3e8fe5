import { sql } from 'kysely'
import type { PreviewQuery } from '../../memberships.ts'
import type { Fact } from '../../profiles.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { factMatcher, typeOf } from './matched-fact.ts'
import { type ArchivedCall, type CallsQuery, readCalls } from './read-calls.ts'

/** The newest events of the archive that are looked at. */
const MOST_EVENTS = 200_000
/** Events that one statement reads: JavaScript parses them in one turn. */
const SLICE_EVENTS = 1_000

export interface ArchivedFactsQuery extends Pick<CallsQuery, 'space' | 'sources'> {
  readonly selections: PreviewQuery['selections']
}

/** A clause, and the facts that were found for it. */
interface Clause {
  readonly type: string
  readonly match: ReturnType<typeof factMatcher>
  /** By profile: `at` and `position` of each fact, in turn. Values may be long, so they are read again when they are shown. */
  readonly facts: Map<number, number[]>
}

/**
 * Facts of clauses that have none in the table yet: what the newest events of the archive are to them. Events are compared in
 * JavaScript, for the reasons of `CompiledCondition`.
 */
export class ArchivedFacts {
  readonly #postgres: Postgres
  readonly #query: ArchivedFactsQuery
  readonly #clauses: ReadonlyMap<number, Clause>
  #isWhole = true

  private constructor(postgres: Postgres, query: ArchivedFactsQuery) {
    this.#postgres = postgres
    this.#query = query
    this.#clauses = new Map(
      [...query.selections].map(([number, selection]) => [
        number,
        { type: typeOf(selection), match: factMatcher(selection), facts: new Map() },
      ]),
    )
  }

  static async read(postgres: Postgres, query: ArchivedFactsQuery): Promise<ArchivedFacts> {
    const facts = new ArchivedFacts(postgres, query)
    if (query.selections.size > 0) await facts.#readAll()
    return facts
  }

  /** Whether the archive has no older events. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** When the facts of a profile happened, in no order. */
  timesOf(clause: number, profile: number): readonly number[] {
    const facts = this.#clauses.get(clause)?.facts.get(profile) ?? []
    return facts.filter((_, index) => index % 2 === 0)
  }

  /** The newest facts of a profile, with their values. */
  async newest(clause: number, profile: number, most: number): Promise<readonly Fact[]> {
    const { match, facts } = this.#clauses.get(clause)!
    const found = pairsOf(facts.get(profile) ?? []).slice(0, most)
    const newest: Fact[] = []
    for (let from = 0; from < found.length; from += SLICE_EVENTS) {
      const slice = found.slice(from, from + SLICE_EVENTS)
      const positions = slice.map(({ position }) => position)
      const calls = await this.#read(sql`seq = ANY (${positions}::bigint[])`)
      const byPosition = new Map(calls.map((call) => [call.seq, call]))
      for (const fact of slice) {
        const archived = byPosition.get(fact.position)
        const matched = archived && match(archived.call)
        if (matched !== undefined) newest.push({ ...fact, value: matched.value })
      }
    }
    return newest
  }

  async #readAll(): Promise<void> {
    const [bounds] = await this.#postgres.run(
      sql<{
        readonly first: number | null
        readonly last: number | null
      }>`SELECT min(seq) AS first, max(seq) AS last FROM events`,
    )
    const { first, last } = bounds!
    if (first === null || last === null) return
    const begin = Math.max(first - 1, last - MOST_EVENTS)
    this.#isWhole = begin < first
    for (let after = begin; after < last; after += SLICE_EVENTS) {
      const through = Math.min(last, after + SLICE_EVENTS)
      for (const call of await this.#read(sql`seq > ${after} AND seq <= ${through}`))
        this.#add(call)
    }
  }

  #read(where: CallsQuery['where']): Promise<readonly ArchivedCall[]> {
    const types = [...new Set([...this.#clauses.values()].map(({ type }) => type))]
    const { space, sources } = this.#query
    return readCalls(this.#postgres, { space, sources, types, where })
  }

  #add({ seq, type, profile, call }: ArchivedCall): void {
    for (const clause of this.#clauses.values()) {
      const matched = clause.type === type ? clause.match(call) : undefined
      if (matched === undefined) continue
      const facts = clause.facts.get(profile)
      if (facts === undefined) clause.facts.set(profile, [matched.at, seq])
      else facts.push(matched.at, seq)
    }
  }
}

/** The newest first. */
function pairsOf(packed: readonly number[]): { readonly at: number; readonly position: number }[] {
  return Array.from({ length: packed.length / 2 }, (_, index) => ({
    at: packed[2 * index]!,
    position: packed[2 * index + 1]!,
  })).toSorted((a, b) => b.at - a.at || b.position - a.position)
}
