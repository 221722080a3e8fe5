import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Evaluated, Evaluations, LoadedProfile, ProfileWalk } from '../../evaluations.ts'
import type { SpacedId } from '../../profile-rules.ts'
import { putInOutbox } from './put-in-outbox.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { findIds } from '../profiles/find-ids.ts'
import { lockProfiles } from '../profiles/profiles-state.ts'
import { commitEvaluations } from './commit-evaluations.ts'
import { loadedProfileOf, loadStatement, walkStatement } from './load-profiles.ts'

/** Evaluations on the tables `profiles`, `results` and `announced`. The events of announcements go to the log by the outbox. */
export class PostgresEvaluations implements Evaluations {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  async due(now: number, limit: number): Promise<readonly LoadedProfile[]> {
    const rows = await this.#postgres.run(
      loadStatement(sql`
        SELECT id, row_number() OVER (ORDER BY waits, since, id) AS place FROM (
          (SELECT id, 1 AS waits, dirty_since AS since FROM profiles WHERE dirty_since IS NOT NULL
           ORDER BY dirty_since, id LIMIT ${limit})
          UNION ALL
          (SELECT id, 2, recheck_at FROM profiles WHERE recheck_at <= ${now} AND dirty_since IS NULL
           ORDER BY recheck_at, id LIMIT ${limit})
          ORDER BY waits, since, id LIMIT ${limit}) AS due`),
    )
    return rows.map(loadedProfileOf)
  }

  async load(profileIds: readonly number[]): Promise<readonly LoadedProfile[]> {
    const rows = await this.#postgres.run(
      loadStatement(
        sql`SELECT * FROM unnest(${profileIds}::bigint[]) WITH ORDINALITY AS named (id, place)`,
      ),
    )
    return rows.map(loadedProfileOf)
  }

  async loadUser(space: string, userId: string): Promise<LoadedProfile | undefined> {
    const [row] = await this.#postgres.run(
      loadStatement(sql`
        SELECT profile AS id, 1 AS place FROM profile_ids
        WHERE space = ${toText(space)} AND kind = 'user' AND id = ${toText(userId)}`),
    )
    return row && loadedProfileOf(row)
  }

  commit(evaluated: readonly Evaluated[]): Promise<readonly Evaluated[]> {
    return this.#postgres.write((transaction) => commitEvaluations(transaction, evaluated))
  }

  tell(events: readonly AcceptedEvent[], purges: number): Promise<boolean> {
    return this.#postgres.write(async (transaction) => {
      if ((await lockProfiles(transaction)) !== purges) return false
      await putInOutbox(transaction, events)
      return true
    })
  }

  async walk(query: ProfileWalk): Promise<readonly LoadedProfile[]> {
    return (await this.#postgres.run(walkStatement(query))).map(loadedProfileOf)
  }

  async profilesOf(ids: readonly SpacedId[]): Promise<readonly (number | undefined)[]> {
    const found = await this.#postgres.read((connection) => findIds(connection, ids))
    return found.map((each) => each?.profile)
  }

  async waiting(now: number): Promise<{ profiles: number; since: number | null }> {
    const [row] = await this.#postgres.run(sql<{ profiles: number; since: number | null }>`
      SELECT count(*) AS profiles, min(since) AS since FROM (
        SELECT dirty_since AS since FROM profiles WHERE dirty_since IS NOT NULL
        UNION ALL
        SELECT recheck_at FROM profiles WHERE recheck_at <= ${now} AND dirty_since IS NULL) AS waiting`)
    return row!
  }
}
