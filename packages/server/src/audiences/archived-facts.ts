import type { Catalog } from '../backend/catalog.ts'
import type { Evaluations, LoadedProfile } from '../backend/evaluations.ts'
import type { FollowedLog, PositionedEvent } from '../backend/log.ts'
import type { ClauseFact, Fact, Profiles } from '../backend/profiles.ts'
import type { Clock } from '../util/time/clock.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { EventMatcher } from './conditions/match-event.ts'
import { effectiveTimeOf, idsOf } from './profiles/profile-change.ts'
import { isOfUser, spaceOf } from './profiles/profile-follower.ts'

export interface ArchivedFactsOptions {
  readonly catalog: Pick<Catalog, 'current'>
  readonly evaluations: Pick<Evaluations, 'profilesOf'>
  readonly followedLog: Pick<FollowedLog, 'read'>
  readonly profiles: Pick<Profiles, 'state'>
  readonly clock: Clock
}

/** The newest positions of the log that are looked at. */
const MAX_EVENTS = 200_000
/** Positions that are read in their order before older ones are. */
const WINDOW_EVENTS = 5_000
const SLICE_EVENTS = 500
/** About how much memory the facts may take. */
const MAX_BYTES = 64 * 1024 * 1024
const FACT_BYTES = 64

/** Facts of clauses that have none stored: the newest events of the archive that they count, of one space. */
export class ArchivedFacts {
  readonly #options: ArchivedFactsOptions
  readonly #space: string
  readonly #matcher: EventMatcher
  readonly #slices: TimeSlices
  /** By profile, then by number of the clause; in no order. */
  readonly #facts = new Map<number, Map<number, Fact[]>>()
  #bytes = 0

  constructor(options: ArchivedFactsOptions, space: string, matcher: EventMatcher) {
    this.#options = options
    this.#space = space
    this.#matcher = matcher
    this.#slices = new TimeSlices(options.clock)
  }

  /** Reads the newest events after a position, window by window. Resolves to whether these were all of them. */
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

  /** The stored and archived facts of a profile, by number of the clause; newest first. */
  addTo({ profileId, facts }: LoadedProfile): LoadedProfile['facts'] {
    const found = this.#facts.get(profileId)
    if (found === undefined) return facts
    const newestFirst = [...found].map(
      ([clause, all]) =>
        [clause, all.toSorted((a, b) => b.at - a.at || b.position - a.position)] as const,
    )
    return new Map([...facts, ...newestFirst])
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
      // It parses the event.
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
