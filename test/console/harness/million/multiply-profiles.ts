import type { DatabaseSync } from 'node:sqlite'
import { copyRows } from '@hookline/testing/files/fill-database'

/**
 * Copies all profiles for each group of users, with their ids, traits, facts and results.
 *
 * Facts, counts and times are copied unchanged.
 * @param shift how far the sequence numbers of the original events were shifted
 */
export function multiplyProfiles(
  db: DatabaseSync,
  { userGroups, shift }: { readonly userGroups: number; readonly shift: number },
): void {
  db.exec(`UPDATE facts SET position = position + ${shift};
    UPDATE fact_clauses SET fill_through = fill_through + ${shift}, filled_through = filled_through + ${shift};
    CREATE TEMP TABLE copy AS WITH RECURSIVE copy (n) AS
      (SELECT 0 UNION ALL SELECT n + 1 FROM copy WHERE n + 1 < ${userGroups})
      SELECT n, (n + 1) * (SELECT identities FROM profiles_state) AS shift FROM copy`)
  const named = "original.name || '-' || copy.n"
  const claim = {
    anonymous: 'original.anonymous + copy.shift',
    claimer: 'original.claimer + copy.shift',
  }
  const copies: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['identities', { id: 'original.id + copy.shift', profile: PROFILE, name: named }],
    ['identity_traits', { identity: IDENTITY }],
    ['claims', claim],
    ['facts', { identity: IDENTITY }],
    ['results', { profile: PROFILE }],
    ['announced', { user_id: "original.user_id || '-' || copy.n" }],
  ]
  for (const [table, changed] of copies)
    copyRows(db, { table, originals: `SELECT * FROM ${table}`, changed })
  db.exec(`UPDATE profiles_state SET identities = identities * ${userGroups + 1};
    UPDATE spaces SET profiles = profiles * ${userGroups + 1}; DROP TABLE copy`)
}

const IDENTITY = 'original.identity + copy.shift'
const PROFILE = 'original.profile + copy.shift'
