import type { DatabaseSync } from 'node:sqlite'
import {
  type ChangingProfiles,
  isNewer,
  mergeInto,
  type ProfileSums,
  type SpacedId,
  type StoredTrait,
  type StoredTraits,
} from '../../profile-rules.ts'
import {
  newProfileRow,
  PROFILE_COLUMNS,
  type ProfileRow,
  profileRowOf,
  storedTraitsOf,
} from './profile-row.ts'
import { profileToucher } from './profiles-state.ts'

/** A profile while a transaction changes it. */
interface Open {
  readonly row: ProfileRow
  /** Read when they are first asked for: most events set none. */
  traits?: StoredTraits
  hasNewTraits?: true
  /** Whether an evaluation may come to another result than before. */
  isDirty: boolean
}

/**
 * The profiles that one transaction changes: each is read once, and written once at the end by `close`. A slice of the log
 * has many events of the same users.
 */
export class OpenProfiles implements ChangingProfiles {
  readonly #statements: ReturnType<typeof prepare>
  readonly #open = new Map<number, Open>()
  /** The profiles of the ids that were looked up. */
  readonly #byId = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#statements = prepare(db)
  }

  require(id: SpacedId, isSeen: boolean): number {
    const key = `${isSeen ? '!' : ''}${keyOf(id)}`
    const known = this.#byId.get(key)
    if (known !== undefined) return known
    const found = this.#statements.findId.get(id.space, id.kind, id.id)
    const profile = found === undefined ? this.#create(id.space) : Number(found['profile'])
    const isNews = found === undefined || (isSeen && found['is_seen'] === 0)
    if (isNews) {
      this.#statements.putId.run(id.space, id.kind, id.id, profile, isSeen ? 1 : 0)
      this.touch(profile)
    }
    this.#byId.set(key, profile)
    return profile
  }

  sums(profile: number): ProfileSums {
    return this.#opened(profile).row
  }

  setTrait(profile: number, name: string, trait: StoredTrait): void {
    const open = this.#opened(profile)
    const traits = this.#traitsOf(open)
    const previous = traits[name]
    if (!isNewer(trait, previous)) return
    traits[name] = trait
    open.hasNewTraits = true
    // Most identify calls repeat what is known: an equal text or number changes no verdict.
    if (previous?.[0] !== trait[0]) open.isDirty = true
  }

  /** The profile must be evaluated again. */
  touch(profile: number): void {
    this.#opened(profile).isDirty = true
  }

  join(a: number, b: number): number {
    if (a === b) return a
    const [kept, gone] = a < b ? [a, b] : [b, a]
    mergeInto(this.sums(kept), this.sums(gone))
    for (const [name, trait] of Object.entries(this.#traitsOf(this.#opened(gone))))
      this.setTrait(kept, name, trait)
    this.touch(kept)
    this.#open.delete(gone)
    this.#byId.clear()
    const { moves, removals } = this.#statements
    for (const move of moves) move.run(kept, gone)
    for (const removal of removals) removal.run(gone)
    return kept
  }

  /** Writes what has changed. Profiles whose evaluation may differ are dirty since `at`, unless they were before. */
  close(at: number, version: number): void {
    const { update, putTraits, touch } = this.#statements
    for (const [id, { row, traits, hasNewTraits, isDirty }] of this.#open) {
      const { firstSeenAt, lastSeenAt, counts } = row
      update.run(firstSeenAt, lastSeenAt, JSON.stringify(counts), id)
      if (hasNewTraits) putTraits.run(id, JSON.stringify(traits))
      if (isDirty) touch(id, { at, version })
    }
  }

  /** Call it at the end of every transaction, also of one that fails. */
  forget(): void {
    this.#open.clear()
    this.#byId.clear()
  }

  #opened(profile: number): Open {
    let open = this.#open.get(profile)
    if (open === undefined) {
      const found = this.#statements.find.get(profile)!
      open = { row: profileRowOf(found), isDirty: false }
      this.#open.set(profile, open)
    }
    return open
  }

  #traitsOf(open: Open): StoredTraits {
    return (open.traits ??= storedTraitsOf(this.#statements.findTraits.get(open.row.id)))
  }

  #create(space: string): number {
    const id = Number(this.#statements.insert.run(space).lastInsertRowid)
    this.#open.set(id, { row: newProfileRow(id), isDirty: true })
    return id
  }
}

/** What became dirty first waits longest, also in a profile that has it from another one. */
const KEEP_WAITING = `UPDATE profiles
  SET dirty_since = (SELECT MIN(dirty_since) FROM profiles WHERE id IN (?1, ?2)) WHERE id = ?1`

function prepare(db: DatabaseSync) {
  return {
    findId: db.prepare(
      'SELECT profile, is_seen FROM profile_ids WHERE space = ? AND kind = ? AND id = ?',
    ),
    putId: db.prepare('INSERT OR REPLACE INTO profile_ids VALUES (?, ?, ?, ?, ?)'),
    find: db.prepare(`SELECT ${PROFILE_COLUMNS} FROM profiles WHERE id = ?`),
    findTraits: db.prepare('SELECT traits FROM profile_traits WHERE profile = ?'),
    insert: db.prepare(`INSERT INTO profiles (space, version, counts) VALUES (?, 0, '{}')`),
    update: db.prepare(
      'UPDATE profiles SET first_seen_at = ?, last_seen_at = ?, counts = ? WHERE id = ?',
    ),
    putTraits: db.prepare('INSERT OR REPLACE INTO profile_traits VALUES (?, ?)'),
    touch: profileToucher(db),
    // A fact or a result that both profiles have stays once.
    moves: ['profile_ids', 'facts', 'results']
      .map((table) => db.prepare(`UPDATE OR IGNORE ${table} SET profile = ?1 WHERE profile = ?2`))
      .concat(db.prepare(KEEP_WAITING)),
    removals: ['profile_traits', 'facts', 'results']
      .map((table) => db.prepare(`DELETE FROM ${table} WHERE profile = ?`))
      .concat(db.prepare('DELETE FROM profiles WHERE id = ?')),
  }
}

/** Different for different ids: a blank may be in a space and in an id. */
function keyOf({ space, kind, id }: SpacedId): string {
  return JSON.stringify([kind, space, id])
}
