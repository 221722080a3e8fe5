import type { Backend } from '../../backend/backend.ts'
import type { PositionedEvent } from '../../backend/log.ts'
import type { AppliedSlice, ProfileChange } from '../../backend/profiles.ts'
import type { Unreadable } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { EventMatcher } from '../conditions/match-event.ts'
import { isOfUser, type Placeholders, profileChangeOf, spaceOf } from './profile-change.ts'

export interface ProfileFollowerOptions extends Pick<
  Backend,
  'catalog' | 'deletions' | 'followedLog' | 'profiles' | 'quarantine'
> {
  readonly placeholders: Placeholders
  readonly activity: Pick<ActivityListener, 'unlinked'>
  readonly metrics: Metrics
  readonly clock: Clock
  readonly logger: Logger
}

/** Events of one slice. Other writes wait while it is applied. */
const SLICE_EVENTS = 500

/** An event that no profile gets. */
type Fault = Unreadable & { readonly err?: unknown }

const NOT_APPLIED = 'A bug in Hookline stopped it on its way to profiles.'

/** How far one step came. */
export interface Followed {
  readonly through: number
  /** Whether there was nothing more in the log. */
  readonly isEnd: boolean
}

/** Follows the log, and applies its events to profiles slice by slice. */
export class ProfileFollower {
  readonly #options: ProfileFollowerOptions
  #largest = 0

  constructor(options: ProfileFollowerOptions) {
    this.#options = options
  }

  /** Applies the next slice. `undefined` while no profiles are kept. */
  async step(matcher: EventMatcher): Promise<Followed | undefined> {
    const { followedLog, profiles, deletions, clock } = this.#options
    // Read before the slice: where a user is purged in between, the slice is refused.
    const { through: after, purges } = await profiles.state()
    if (after === null) return undefined
    const slice = await followedLog.read({ after, limit: SLICE_EVENTS })
    const { events, through, isEnd, unreadable = [] } = slice
    if (through === after) return { through, isEnd }
    const changes: ProfileChange[] = []
    const faulty: Fault[] = [...unreadable]
    const slices = new TimeSlices(clock)
    for (const each of events) {
      // It parses the event.
      await slices.yieldIfOver()
      try {
        if (isOfUser(each) && !deletions.isPurged(each.event))
          changes.push(this.#changeOf(each, matcher))
      } catch (err) {
        faulty.push({ id: each.event.id, reason: NOT_APPLIED, err })
      }
    }
    await this.#quarantine(faulty)
    const applied = await profiles.apply({ after, through, changes, purges, at: clock.wall() })
    if (applied === undefined) return { through: after, isEnd: false }
    this.#report(applied)
    return { through, isEnd }
  }

  #report({ unlinked, largest }: AppliedSlice): void {
    const { activity, metrics } = this.#options
    for (const each of unlinked) {
      activity.unlinked(each)
      metrics.profiles.unlinked.inc({ reason: each.reason }, each.ids)
    }
    this.#largest = Math.max(this.#largest, largest)
    metrics.profiles.largest.set(this.#largest)
  }

  /** Quarantines and reports events that no profile gets. */
  async #quarantine(faulty: readonly Fault[]): Promise<void> {
    if (faulty.length === 0) return
    const { quarantine, clock, logger } = this.#options
    const at = clock.wall()
    await quarantine.add(faulty.map(({ id, reason }) => ({ id, reason, at })))
    for (const each of faulty) logger.error(each, 'quarantine.added')
  }

  #changeOf(positioned: PositionedEvent, matcher: EventMatcher): ProfileChange {
    const { event } = positioned
    const { catalog, placeholders } = this.#options
    return profileChangeOf(positioned, {
      space: spaceOf(event, catalog),
      placeholders,
      factsOf: (timeMs) => matcher.factsOf(event, timeMs),
    })
  }
}
