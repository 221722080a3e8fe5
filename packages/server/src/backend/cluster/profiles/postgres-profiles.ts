import { sql } from 'kysely'
import type { Profile, Profiles, ProfileSlice, ProfilesState } from '../../profiles.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { beginToFollow, readState } from './profiles-state.ts'
import { readProfile } from './read-profile.ts'
import { applySlice } from './write-profiles.ts'

/** Profiles on the tables `profiles`, `profile_traits` and `profile_ids`. They follow the archive by `seq`. */
export class PostgresProfiles implements Profiles {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  state(): Promise<ProfilesState> {
    return readState(this.#postgres)
  }

  begin(): Promise<void> {
    return beginToFollow(this.#postgres)
  }

  apply(slice: ProfileSlice): Promise<boolean> {
    return this.#postgres.write((transaction) => applySlice(transaction, slice))
  }

  find(space: string, userId: string): Promise<Profile | undefined> {
    return readProfile(this.#postgres, { space, userId })
  }

  async count(space: string): Promise<number> {
    const [row] = await this.#postgres.run(sql<{ readonly profiles: number }>`
      SELECT profiles FROM spaces WHERE name = ${toText(space)}`)
    return row?.profiles ?? 0
  }
}
