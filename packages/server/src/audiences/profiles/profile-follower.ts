import { type AcceptedEvent, DEFAULT_SPACE } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { FollowedLog, PositionedEvent } from '../../backend/log.ts'
import type { AppliedSlice, Profiles } from '../../backend/profiles.ts'
import type { Quarantine, Unreadable } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Logger } from '../../telemetry/logger.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { EventMatcher } from '../conditions/match-event.ts'
import type { Placeholders } from './placeholders.ts'
import { profileChangeOf } from './profile-change.ts'

export interface ProfileFollowerOptions {
  readonly followedLog: FollowedLog
  readonly profiles: Profiles
  readonly catalog: Pick<Catalog, 'current'>
  /** Knows the events whose user is being purged. */
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly quarantine: Quarantine
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

/** What one step came to: how many events it applied, and where it is in the log. */
export interface Followed {
  readonly events: number
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
    if (through === after) return { events: 0, through, isEnd }
    const changes: ReturnType<typeof profileChangeOf>[] = []
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
    if (applied === undefined) return { events: 0, through: after, isEnd: false }
    this.#report(applied)
    return { events: events.length, through, isEnd }
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

  #changeOf(positioned: PositionedEvent, matcher: EventMatcher) {
    const { event } = positioned
    const { catalog, placeholders } = this.#options
    return profileChangeOf(positioned, {
      space: spaceOf(event, catalog),
      placeholders,
      factsOf: (timeMs) => matcher.factsOf(event, timeMs),
    })
  }
}

/** The space of the source of an event. That of a source that was removed is no longer known. */
export function spaceOf(
  { sourceId }: AcceptedEvent,
  { current }: Pick<Catalog, 'current'>,
): string {
  return current.sources.get(sourceId)?.space ?? DEFAULT_SPACE
}

/** Computed events feed no profile: what is computed must not depend on itself. */
export function isOfUser({ event: { origin, event } }: PositionedEvent): boolean {
  return origin === undefined && (event.userId !== undefined || event.anonymousId !== undefined)
}
