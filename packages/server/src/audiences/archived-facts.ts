import type { Backend } from '../backend/backend.ts'
import type { LoadedProfile } from '../backend/evaluations.ts'
import type { ArchivedFact, FactClause } from '../backend/facts.ts'
import type { PositionedEvent } from '../backend/log.ts'
import type { ClauseFact, Fact, Profiles } from '../backend/profiles.ts'
import type { Clock } from '../util/time/clock.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import { EventMatcher } from './conditions/match-event.ts'
import { isFilled } from './evaluation/plans.ts'
import { effectiveTimeOf, idsOf, isOfUser, spaceOf } from './profiles/profile-change.ts'

const FILL_EVENTS = 1_000

/** Counts a slice of the archive for clauses that are not filled yet. Resolves to whether there may be more. */
export async function fillClauses(
  clauses: readonly FactClause[],
  {
    catalog,
    facts,
    followedLog,
    profiles,
    clock,
  }: Pick<Backend, 'catalog' | 'facts' | 'followedLog' | 'profiles'> & { readonly clock: Clock },
): Promise<boolean> {
  const filling = clauses.filter((clause) => !isFilled(clause))
  if (filling.length === 0) return false
  const { purges } = await profiles.state()
  // Facts that a clause already has are ignored.
  const after = Math.min(...filling.map(({ filledThrough }) => filledThrough))
  const end = Math.max(...filling.map(({ fillThrough }) => fillThrough))
  const matcher = new EventMatcher(filling)
  const only = matcher.selector
  const { events, through, isEnd } = await followedLog.read({ after, limit: FILL_EVENTS, only })
  const archivedFacts: ArchivedFact[] = []
  const slices = new TimeSlices(clock)
  for (const positioned of events) {
    // Parsing is slow.
    await slices.yieldIfOver()
    try {
      if (isOfUser(positioned)) archivedFacts.push(...archivedFactsOf(positioned, matcher, catalog))
    } catch {
      // `ProfileWorker` reports unparseable events.
    }
  }
  // Refused if a user was purged after the slice was read; the next step reads it again.
  await facts.fill({
    clauses: filling.map(({ number }) => number),
    through: isEnd ? end : through,
    facts: archivedFacts,
    purges,
    at: clock.wall(),
  })
  return true
}

function archivedFactsOf(
  { position, event }: PositionedEvent,
  matcher: EventMatcher,
  catalog: Backend['catalog'],
): readonly ArchivedFact[] {
  const at = effectiveTimeOf(event.event)
  const space = spaceOf(event, catalog)
  const ids = idsOf(event.event)
  return matcher.factsOf(event, at).map((fact) => ({ ...fact, space, ids, at, position }))
}

export interface ArchivedFactsOptions extends Pick<
  Backend,
  'catalog' | 'evaluations' | 'followedLog'
> {
  readonly profiles: Pick<Profiles, 'state'>
  readonly clock: Clock
}

const MAX_EVENTS = 200_000
/** Windows are read newest first, each in log order. */
const WINDOW_EVENTS = 5_000
const SLICE_EVENTS = 500
const MAX_BYTES = 64 * 1024 * 1024
const FACT_BYTES = 64

/** For clauses without stored facts: facts from the newest archived events in one space. */
export class ArchivedFacts {
  readonly #options: ArchivedFactsOptions
  readonly #space: string
  readonly #matcher: EventMatcher
  readonly #slices: TimeSlices
  /** By profile, then by clause number; unordered. */
  readonly #facts = new Map<number, Map<number, Fact[]>>()
  #bytes = 0

  constructor(options: ArchivedFactsOptions, space: string, matcher: EventMatcher) {
    this.#options = options
    this.#space = space
    this.#matcher = matcher
    this.#slices = new TimeSlices(options.clock)
  }

  /** Reads the newest events after a position. Resolves to whether it has read all of them. */
  async read(begin: number): Promise<boolean> {
    const end = (await this.#options.profiles.state()).through ?? 0
    const first = Math.max(begin, end - MAX_EVENTS)
    let reached = end
    while (reached > first && this.#bytes < MAX_BYTES) {
      const after = Math.max(first, reached - WINDOW_EVENTS)
      await this.#readWindow(after, reached)
      reached = after
    }
    return reached <= begin
  }

  /** Stored and archived facts of a profile by clause number, newest first. */
  addTo({ profileId, facts }: LoadedProfile): LoadedProfile['facts'] {
    const archived = this.#facts.get(profileId)
    if (archived === undefined) return facts
    const newest = new Map(facts)
    for (const [clause, all] of archived) {
      const newestFirst = all.toSorted((a, b) => b.at - a.at || b.position - a.position)
      newest.set(clause, newestFirst)
    }
    return newest
  }

  async #readWindow(begin: number, end: number): Promise<void> {
    const only = this.#matcher.selector
    for (let after = begin, isEnd = false; after < end && !isEnd;) {
      const slice = await this.#options.followedLog.read({ after, limit: SLICE_EVENTS, only })
      await this.#add(slice.events.filter(({ position }) => position <= end))
      ;({ through: after, isEnd } = slice)
    }
  }

  async #add(events: readonly PositionedEvent[]): Promise<void> {
    const space = this.#space
    const counted: { readonly event: PositionedEvent; readonly facts: readonly ClauseFact[] }[] = []
    for (const event of events) {
      // Parsing is slow.
      await this.#slices.yieldIfOver()
      if (!isOfUser(event) || spaceOf(event.event, this.#options.catalog) !== space) continue
      const facts = this.#matcher.factsOf(event.event, timeOf(event))
      if (facts.length > 0) counted.push({ event, facts })
    }
    const ids = counted.map(({ event }) => ({ space, ...idsOf(event.event.event)[0]! }))
    const profiles = await this.#options.evaluations.profilesOf(ids)
    for (const [index, { event, facts }] of counted.entries())
      for (const { clause, value } of facts)
        this.#put(profiles[index], clause, { at: timeOf(event), position: event.position, value })
  }

  #put(profile: number | undefined, clause: number, fact: Fact): void {
    if (profile === undefined) return
    this.#bytes += FACT_BYTES + JSON.stringify(fact.value).length
    let ofProfile = this.#facts.get(profile)
    if (ofProfile === undefined) this.#facts.set(profile, (ofProfile = new Map()))
    const ofClause = ofProfile.get(clause)
    if (ofClause === undefined) ofProfile.set(clause, [fact])
    else ofClause.push(fact)
  }
}

function timeOf({ event }: PositionedEvent): number {
  return effectiveTimeOf(event.event)
}
