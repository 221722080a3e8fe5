import type { DatabaseSync } from 'node:sqlite'
import type { Subject, Suppression } from '../../deletions.ts'
import { EVERY_SOURCE } from './write-deletions.ts'

/** The suppressed users in memory, because each call asks for its user. */
export class SuppressedUsers {
  /** The sources by kind and id. */
  readonly #sources = {
    user: new Map<string, Set<string>>(),
    anonymous: new Map<string, Set<string>>(),
  }

  /** Reads all of them. */
  constructor(reader: DatabaseSync) {
    const all = reader.prepare('SELECT kind, user_id, source_id FROM suppressions')
    for (const { kind, user_id: id, source_id: sourceId } of all.iterate())
      this.#keep({ kind: kind as Subject['kind'], id: String(id) }, String(sourceId))
  }

  has(sourceId: string, kind: Subject['kind'], id: string): boolean {
    const sources = this.#sources[kind].get(id)
    return sources !== undefined && (sources.has(EVERY_SOURCE) || sources.has(sourceId))
  }

  add(suppressions: readonly Suppression[]): void {
    for (const { sourceId, ...user } of suppressions) this.#keep(user, sourceId ?? EVERY_SOURCE)
  }

  remove({ kind, id }: Subject): void {
    this.#sources[kind].delete(id)
  }

  #keep({ kind, id }: Subject, sourceId: string): void {
    const byId = this.#sources[kind]
    const sources = byId.get(id) ?? new Set()
    byId.set(id, sources.add(sourceId))
  }
}
