import type { AcceptedEvent } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Evaluated, Evaluations, LoadedProfile, ProfileWalk } from '../../evaluations.ts'
import type { SpacedId } from '../../profile-rules.ts'
import { numberOrNull } from '../database/rows.ts'
import { blockOf } from '../log/event-block.ts'
import type { SqliteLog } from '../log/sqlite-log.ts'
import { profileFinder } from '../profiles/find-profile.ts'
import { unpacked } from './load-facts.ts'
import type { PackedProfile } from './load-profiles.ts'
import type { Readers } from '../readers.ts'
import type { Writer } from '../writer.ts'

export interface SqliteEvaluationsOptions {
  readonly writer: Writer
  readonly reader: DatabaseSync
  readonly readers: Readers
  /** Hands out the events of announcements. */
  readonly log: SqliteLog
}

const WAITING = `
  SELECT COUNT(*) AS profiles, MIN(since) AS since FROM (
    SELECT dirty_since AS since FROM profiles WHERE dirty_since IS NOT NULL
    UNION ALL SELECT recheck_at FROM profiles WHERE recheck_at <= ? AND dirty_since IS NULL)`

/** Evaluations on the tables `profiles`, `results` and `announced`. */
export class SqliteEvaluations implements Evaluations {
  readonly #options: SqliteEvaluationsOptions
  readonly #find: ReturnType<typeof profileFinder>

  constructor(options: SqliteEvaluationsOptions) {
    this.#options = options
    this.#find = profileFinder(options.reader)
  }

  async due(now: number, limit: number): Promise<readonly LoadedProfile[]> {
    return (await this.#options.readers.run('loadDueProfiles', { now, limit })).map(loadedOf)
  }

  async load(profileIds: readonly number[]): Promise<readonly LoadedProfile[]> {
    return (await this.#options.readers.run('loadProfiles', profileIds)).map(loadedOf)
  }

  async loadUser(space: string, userId: string): Promise<LoadedProfile | undefined> {
    const profile = this.#find({ space, kind: 'user', id: userId })
    return profile === undefined ? undefined : (await this.load([profile]))[0]
  }

  async commit(evaluated: readonly Evaluated[]): Promise<readonly Evaluated[]> {
    const { writer, log } = this.#options
    let stored: readonly Evaluated[] = []
    await writer.runWith('commitEvaluations', evaluated, {
      onCommitted: ({ stored: places, appended }) => {
        stored = places.map((place) => evaluated[place]!)
        const events = stored.flatMap(({ announcements }) =>
          announcements.map(({ event }) => event),
        )
        log.appended({ events, ...appended })
      },
    })
    return stored
  }

  async tell(events: readonly AcceptedEvent[], purges: number): Promise<boolean> {
    const { writer, log } = this.#options
    const block = blockOf(events)
    const told = await writer.runWith(
      'appendTold',
      { block, purges },
      {
        onCommitted: (appended) => {
          if (appended !== undefined) log.appended({ events, ...appended })
        },
      },
    )
    return told !== undefined
  }

  async walk(query: ProfileWalk): Promise<readonly LoadedProfile[]> {
    return (await this.#options.readers.run('walkProfiles', query)).map(loadedOf)
  }

  async profilesOf(ids: readonly SpacedId[]): Promise<readonly (number | undefined)[]> {
    return ids.map((id) => this.#find(id))
  }

  async waiting(now: number): Promise<{ profiles: number; since: number | null }> {
    const [row] = await this.#options.readers.run('select', { sql: WAITING, values: [now] })
    return { profiles: Number(row!['profiles']), since: numberOrNull(row!['since']) }
  }
}

function loadedOf(profile: PackedProfile): LoadedProfile {
  return { ...profile, facts: unpacked(profile.facts) }
}
