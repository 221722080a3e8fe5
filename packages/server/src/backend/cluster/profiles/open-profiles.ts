import {
  type ChangingProfiles,
  isNewer,
  mergeInto,
  type ProfileSums,
  type SpacedId,
  type StoredTrait,
  type StoredTraits,
  traitsFrom,
} from '../../profile-rules.ts'
import { type FoundId, keyOf } from './find-ids.ts'

/** A profile while a transaction changes it. */
export interface OpenProfile extends ProfileSums {
  readonly id: number
  readonly space: string
  readonly isNew: boolean
  hasNewSums: boolean
  dirtySince: number | null
  /** Whether an evaluation may come to another result than before. */
  isDirty: boolean
  readonly traits: StoredTraits
  hasNewTraits: boolean
  /** The stored profiles that have become one with it, in the order in which their results count. */
  readonly absorbed: number[]
}

/** An id that the table does not have like this yet. */
export interface ChangedId extends SpacedId, FoundId {
  /** Whether the table does not have it at all. */
  readonly isNew: boolean
}

/** What the transaction has loaded of the profiles that it may change. */
interface LoadedProfiles {
  /** By `keyOf` of the id. */
  readonly ids: ReadonlyMap<string, FoundId>
  readonly profiles: ReadonlyMap<number, OpenProfile>
  /** Numbers for new profiles, in ascending order: greater than those of all others, and enough. */
  readonly numbers: readonly number[]
}

/**
 * The profiles that one transaction changes, in memory: each was read once, and is written once at the end. A slice of the
 * archive has many events of the same users.
 */
export class OpenProfiles implements ChangingProfiles {
  readonly #ids: ReadonlyMap<string, FoundId>
  readonly #open: Map<number, OpenProfile>
  readonly #numbers: Iterator<number>
  readonly #changedIds = new Map<string, ChangedId>()
  /** For a profile that has become part of another one: that one. */
  readonly #mergedInto = new Map<number, number>()

  constructor({ ids, profiles, numbers }: LoadedProfiles) {
    this.#ids = ids
    this.#open = new Map(profiles)
    this.#numbers = numbers.values()
  }

  /** Those that are left after all joins, also without a change. */
  get profiles(): readonly OpenProfile[] {
    return [...this.#open.values()]
  }

  get changedIds(): readonly ChangedId[] {
    return [...this.#changedIds.values()].map((id) => ({
      ...id,
      profile: this.current(id.profile),
    }))
  }

  /** The profile that a profile is part of now. */
  current(profile: number): number {
    let current = profile
    for (let next = this.#mergedInto.get(current); next !== undefined;) {
      current = next
      next = this.#mergedInto.get(current)
    }
    return current
  }

  require(id: SpacedId, isSeen: boolean): number {
    const key = keyOf(id)
    const known = this.#changedIds.get(key) ?? this.#ids.get(key)
    const profile = known === undefined ? this.#create(id.space) : this.current(known.profile)
    if (known === undefined || (isSeen && !known.isSeen)) {
      this.#changedIds.set(key, { ...id, profile, isSeen, isNew: !this.#ids.has(key) })
      this.touch(profile)
    }
    return profile
  }

  sums(profile: number): ProfileSums {
    const open = this.#opened(profile)
    open.hasNewSums = true
    return open
  }

  setTrait(profile: number, name: string, trait: StoredTrait): void {
    const open = this.#opened(profile)
    const previous = open.traits[name]
    if (!isNewer(trait, previous)) return
    open.traits[name] = trait
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
    const [kept, gone] = [this.#opened(Math.min(a, b)), this.#opened(Math.max(a, b))]
    mergeInto(kept, gone)
    for (const [name, trait] of Object.entries(gone.traits)) this.setTrait(kept.id, name, trait)
    kept.isDirty = true
    // What became dirty first waits longest, also in a profile that has it from another one.
    kept.dirtySince = earlier(kept.dirtySince, gone.dirtySince)
    if (!gone.isNew) kept.absorbed.push(gone.id, ...gone.absorbed)
    this.#open.delete(gone.id)
    this.#mergedInto.set(gone.id, kept.id)
    return kept.id
  }

  #opened(profile: number): OpenProfile {
    return this.#open.get(profile)!
  }

  #create(space: string): number {
    const id = Number(this.#numbers.next().value)
    const sums = { firstSeenAt: null, lastSeenAt: null, counts: {} }
    const isNew = { isNew: true, hasNewSums: true, dirtySince: null, isDirty: true }
    const traits = { traits: traitsFrom(undefined), hasNewTraits: false }
    this.#open.set(id, { id, space, ...isNew, ...sums, ...traits, absorbed: [] })
    return id
  }
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}
