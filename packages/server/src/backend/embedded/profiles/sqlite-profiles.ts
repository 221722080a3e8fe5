import type { DatabaseSync } from 'node:sqlite'
import type { Profile, Profiles, ProfileSlice, ProfilesState, Trait } from '../../profiles.ts'
import { isTime, readJson, type Row, timeOf } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import { profileFinder } from './find-profile.ts'
import { PROFILE_COLUMNS, profileRowOf, storedTraitsOf } from './profile-row.ts'
import { profilesPosition, purgeCount } from './profiles-state.ts'

/** Profiles on the tables `profiles` and `profile_ids`. */
export class SqliteProfiles implements Profiles {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #position: () => number | null
  readonly #purges: () => number
  readonly #find: ReturnType<typeof profileFinder>

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
    this.#position = profilesPosition(reader)
    this.#purges = purgeCount(reader)
    this.#find = profileFinder(reader)
  }

  async state(): Promise<ProfilesState> {
    return this.#statements.together(() => ({ through: this.#position(), purges: this.#purges() }))
  }

  begin(): Promise<void> {
    return this.#writer.run('beginProfiles', null)
  }

  apply(slice: ProfileSlice): Promise<boolean> {
    return this.#writer.run('applyToProfiles', slice)
  }

  async find(space: string, userId: string): Promise<Profile | undefined> {
    return this.#statements.together(() => {
      const profile = this.#find({ space, kind: 'user', id: userId })
      return profile === undefined ? undefined : this.#read(profile, space)
    })
  }

  async count(space: string): Promise<number> {
    const [row] = this.#statements.all('SELECT profiles FROM spaces WHERE name = ?', [space])
    return Number(row?.['profiles'] ?? 0)
  }

  #read(profile: number, space: string): Profile | undefined {
    const [row] = this.#statements.all(`SELECT ${PROFILE_COLUMNS} FROM profiles WHERE id = ?`, [
      profile,
    ])
    if (row === undefined) return undefined
    const { counts, firstSeenAt, lastSeenAt } = profileRowOf(row)
    const [traits] = this.#statements.all('SELECT traits FROM profile_traits WHERE profile = ?', [
      profile,
    ])
    const ids = this.#statements.all(
      'SELECT kind, id FROM profile_ids WHERE profile = ? AND is_seen ORDER BY kind, id',
      [profile],
    )
    const results = this.#statements.all(
      `SELECT computations.id AS id, value, since FROM results JOIN computations
       ON number = computation WHERE profile = ? ORDER BY computations.id`,
      [profile],
    )
    const of = (prefix: string): Row[] => results.filter(({ id }) => String(id).startsWith(prefix))
    return {
      space,
      userIds: ids.filter(({ kind }) => kind === 'user').map(idOf),
      anonymousIds: ids.filter(({ kind }) => kind === 'anonymous').map(idOf),
      traits: Object.fromEntries(
        Object.entries(storedTraitsOf(traits)).flatMap(
          ([name, [value, at, , eventId, sourceId]]) =>
            value === null || !isTime(at)
              ? []
              : [[name, { value, at, eventId, sourceId } satisfies Trait]],
        ),
      ),
      computed: Object.fromEntries(
        of('trt_').map(({ id, value, since }) => [
          String(id),
          { value: readJson(value) as Trait['value'], since: timeOf(since) },
        ]),
      ),
      audiences: Object.fromEntries(
        of('aud_').map(({ id, since }) => [String(id), { since: timeOf(since) }]),
      ),
      counts,
      firstSeenAt,
      lastSeenAt,
    }
  }
}

function idOf({ id }: Row): string {
  return String(id)
}
