import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { openRecord, type SealedRecord } from '../../store/catalog.ts'
import { lastCommit } from '../database/commit-mark.ts'
import type { Quarantine, Unreadable } from '../../quarantine.ts'

/** Configuration is damaged: going on without it refuses calls and ends deliveries. */
class ConfigurationDamaged extends Error {
  override readonly name = 'ConfigurationDamaged'
}

/** Remembers damages: what is lost, in words. `tellDamages` tells them. */
export function addDamages(db: DatabaseSync, descriptions: readonly string[]): void {
  const add = db.prepare('INSERT INTO damages VALUES (?, ?, 0)')
  for (const description of descriptions) add.run(systemClock.wall(), description)
}

/** Tells the damages that were found since the last start. */
export function tellDamages(db: DatabaseSync, { onDamage }: DamageOptions): void {
  const untold = db.prepare('SELECT description FROM damages WHERE is_told = 0 ORDER BY rowid')
  for (const { description } of untold.all()) onDamage?.(String(description))
  db.exec('UPDATE damages SET is_told = 1 WHERE is_told = 0')
}

export interface DamageOptions {
  /** The number of the last commit that is left, where the operator goes on without what is lost. */
  readonly acceptLoss?: number | undefined
  /** Called with each damage that the start has found: what is lost, in words. */
  readonly onDamage?: (description: string) => void
}

/**
 * Removes records of the catalog that cannot be read, where that is accepted.
 * @throws {ConfigurationDamaged}
 */
export function refuseDamagedRecords(
  db: DatabaseSync,
  box: SecretBox,
  { acceptLoss }: DamageOptions,
): void {
  const damaged = db
    .prepare('SELECT kind, id, document, settings FROM catalog')
    .all()
    .filter((row) => !canBeOpened(row as unknown as SealedRecord, box))
    .map(({ kind, id }) => ({ kind: String(kind), id: String(id) }))
  if (damaged.length === 0) return
  const texts = damaged.map(({ kind, id }) => `The ${kind} ${id} in the database is damaged.`)
  const number = lastCommit(db)
  if (acceptLoss !== number)
    throw new ConfigurationDamaged(
      `${texts.join(' ')} Without it, calls are refused and deliveries end. Restore a backup (hookline restore <backup> --replace). ` +
        `To go on without it, and to make it again afterwards, start once with --accept-loss ${number}.`,
    )
  const remove = db.prepare('DELETE FROM catalog WHERE kind = ? AND id = ?')
  for (const { kind, id } of damaged) remove.run(kind, id)
  addDamages(db, texts)
}

/** A queue that finds everything that waits in it and is damaged, slice by slice. */
interface CheckedQueue {
  damaged(): Iterable<readonly Unreadable[]>
}

/**
 * Puts what waits and is damaged into quarantine, and tells it. For SQLite a row with a changed byte may be whole: such a
 * delivery would be found when it is due, and one that is held never.
 */
export async function quarantineDamaged(
  {
    deliveries,
    quarantine,
    noticeQueue,
  }: {
    readonly deliveries: CheckedQueue
    readonly quarantine: Quarantine
    readonly noticeQueue: CheckedQueue & Quarantine
  },
  onDamage: ((description: string) => void) | undefined,
): Promise<void> {
  const at = systemClock.wall()
  for (const [queue, to, noun] of [
    [deliveries, quarantine, 'deliveries'],
    [noticeQueue, noticeQueue, 'deletion notices'],
  ] as const) {
    let count = 0
    for (const slice of queue.damaged()) {
      await to.add(slice.map((each) => ({ ...each, at })))
      count += slice.length
    }
    if (count > 0) onDamage?.(`Waiting ${noun} were damaged and are in quarantine: ${count}.`)
  }
}

function canBeOpened(record: SealedRecord, box: SecretBox): boolean {
  try {
    openRecord(record, box)
    return true
  } catch {
    return false
  }
}
