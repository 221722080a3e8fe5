import type { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../util/time/clock.ts'
import { DAMAGES_TABLE } from '../migrations/0015-commits.ts'
import { lastCommit } from './commit-counter.ts'

/** Configuration is damaged: going on without it refuses calls and ends deliveries. */
class ConfigurationDamaged extends Error {
  override readonly name = 'ConfigurationDamaged'
}

/** A damage that was found. */
export interface Damage {
  /** What is lost, in words. */
  readonly description: string
  /** Whether the service must not go on before a person has accepted it. */
  readonly blocks: boolean
}

/** Remembers damages. `settleDamages` tells them. */
export function addDamages(db: DatabaseSync, damages: readonly Damage[]): void {
  if (damages.length === 0) return
  // A salvage may make the database of an older version.
  db.exec(DAMAGES_TABLE)
  const add = db.prepare('INSERT INTO damages VALUES (?, ?, ?, 0)')
  for (const { description, blocks } of damages)
    add.run(systemClock.wall(), description, blocks ? 1 : 0)
}

/**
 * Tells the damages that were found.
 * @throws {ConfigurationDamaged} where one of them is not accepted
 */
export function settleDamages(db: DatabaseSync, { acceptLoss, onDamage }: DamageOptions): void {
  const rows = db.prepare('SELECT rowid, * FROM damages WHERE is_told = 0 OR blocks').all()
  const told = db.prepare('UPDATE damages SET is_told = 1 WHERE rowid = ?')
  for (const row of rows) {
    if (row['is_told'] === 0) onDamage?.(String(row['description']))
    told.run(row['rowid']!)
  }
  const blocking = rows.filter(({ blocks }) => blocks === 1)
  if (blocking.length === 0) return
  const texts = blocking.map(({ description }) => String(description))
  refuseUnlessAccepted(db, texts, acceptLoss)
  db.exec('UPDATE damages SET blocks = 0')
}

export interface DamageOptions {
  /** The number of the last commit that is left, where the operator goes on without what is lost. */
  readonly acceptLoss?: number | undefined
  /** Called with each damage that the start has found: what is lost, in words. */
  readonly onDamage?: (description: string) => void
}

/**
 * Sets aside documents of the catalog that cannot be read, where that is accepted.
 * @throws {ConfigurationDamaged}
 */
export function refuseDamagedDocuments(
  db: DatabaseSync,
  isReadable: (kind: string, document: string) => boolean,
  { acceptLoss }: DamageOptions,
): void {
  if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'catalog'`).get() === undefined) return
  const damaged = db
    .prepare('SELECT kind, id, document FROM catalog')
    .all()
    .filter(({ kind, document }) => !isReadable(String(kind), String(document)))
    .map(({ kind, id }) => ({ kind: String(kind), id: String(id) }))
  if (damaged.length === 0) return
  const texts = damaged.map(({ kind, id }) => `The ${kind} ${id} in the database is damaged.`)
  refuseUnlessAccepted(db, texts, acceptLoss)
  const remove = db.prepare('DELETE FROM catalog WHERE kind = ? AND id = ?')
  for (const { kind, id } of damaged) remove.run(kind, id)
  addDamages(
    db,
    texts.map((description) => ({ description, blocks: false })),
  )
}

function refuseUnlessAccepted(
  db: DatabaseSync,
  texts: readonly string[],
  accepted: number | undefined,
): void {
  const number = lastCommit(db)
  if (accepted === number) return
  throw new ConfigurationDamaged(
    `${texts.join(' ')} Without it, calls are refused and deliveries end. Restore a backup (hookline restore <backup> --replace). ` +
      `To go on without it, and to make it again afterwards, start once with --accept-loss ${number}.`,
  )
}
