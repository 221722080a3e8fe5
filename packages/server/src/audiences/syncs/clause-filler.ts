import type { Catalog } from '../../backend/catalog.ts'
import type { ArchivedFact, FactClause, Facts, FillSlice } from '../../backend/facts.ts'
import type { FollowedLog, PositionedEvent } from '../../backend/log.ts'
import type { Profiles } from '../../backend/profiles.ts'
import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import { EventMatcher } from '../conditions/match-event.ts'
import { isFilled } from '../evaluation/plans.ts'
import { effectiveTimeOf, idsOf } from '../profiles/profile-change.ts'
import { isOfUser, spaceOf } from '../profiles/profile-follower.ts'

export interface ClauseFillerOptions {
  readonly catalog: Pick<Catalog, 'current'>
  readonly followedLog: FollowedLog
  readonly profiles: Pick<Profiles, 'state'>
  readonly facts: Facts
  readonly clock: Clock
}

/** Events of one slice. */
const SLICE_EVENTS = 1_000

/** Fills new clauses with the events that the archive has already. */
export class ClauseFiller {
  readonly #options: ClauseFillerOptions

  constructor(options: ClauseFillerOptions) {
    this.#options = options
  }

  /** Fills one slice of the clauses that are not filled. Returns whether there may be more. */
  async step(clauses: readonly FactClause[]): Promise<boolean> {
    const filling = clauses.filter((clause) => !isFilled(clause))
    if (filling.length === 0) return false
    const { followedLog, profiles, facts, clock } = this.#options
    const { purges } = await profiles.state()
    // Clauses that are further ahead get facts again that they have: these stay as they are.
    const after = Math.min(...filling.map(({ filledThrough }) => filledThrough))
    const end = Math.max(...filling.map(({ fillThrough }) => fillThrough))
    const matcher = new EventMatcher(filling)
    const only = matcher.selector
    const { events, through, isEnd } = await followedLog.read({ after, limit: SLICE_EVENTS, only })
    const found: ArchivedFact[] = []
    const slices = new TimeSlices(clock)
    for (const each of events) {
      // It parses the event.
      await slices.yieldIfOver()
      found.push(...this.#readableFactsOf(each, matcher))
    }
    const slice: FillSlice = {
      clauses: filling.map(({ number }) => number),
      through: isEnd ? end : through,
      facts: found,
      purges,
      at: clock.wall(),
    }
    // Where a user was purged meanwhile, the slice is refused, and the next step reads it again.
    await facts.fill(slice)
    return true
  }

  /** Returns no facts of an event that cannot be parsed: `ProfileFollower` reports it. */
  #readableFactsOf(each: PositionedEvent, matcher: EventMatcher): readonly ArchivedFact[] {
    try {
      return isOfUser(each) ? this.#factsOf(each, matcher) : []
    } catch {
      return []
    }
  }

  #factsOf({ position, event }: PositionedEvent, matcher: EventMatcher): readonly ArchivedFact[] {
    const at = effectiveTimeOf(event.event)
    const space = spaceOf(event, this.#options.catalog)
    const ids = idsOf(event.event)
    return matcher.factsOf(event, at).map((fact) => ({ ...fact, space, ids, at, position }))
  }
}
