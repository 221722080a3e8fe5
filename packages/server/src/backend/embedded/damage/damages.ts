import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { openRecord, type SealedRecord } from '../../store/catalog.ts'
import { lastCommit } from '../database/commit-mark.ts'
import type { Backend } from '../../backend.ts'
import type { Quarantine, Unreadable } from '../../quarantine.ts'

/** Configuration is corrupted: continuing without it would refuse calls and end deliveries. */
class ConfigurationDamaged extends Error {
  override readonly name = 'ConfigurationDamaged'
}

export function addDamages(db: DatabaseSync, descriptions: readonly string[]): void {
  const add = db.prepare('INSERT INTO corruptions VALUES (?, ?, 0)')
  for (const description of descriptions) add.run(systemClock.wall(), description)
}

export function reportDamages(db: DatabaseSync, { onDamage }: DamageOptions): void {
  const unreported = db.prepare(
    'SELECT description FROM corruptions WHERE is_reported = 0 ORDER BY rowid',
  )
  for (const { description } of unreported.all()) onDamage?.(String(description))
  db.exec('UPDATE corruptions SET is_reported = 1 WHERE is_reported = 0')
}

export interface DamageOptions {
  /** The number of the last present commit, if the operator accepts the loss of later ones. */
  readonly acceptLoss?: number | undefined
  /** Called with a description of each loss found at startup. */
  readonly onDamage?: (description: string) => void
}

/** Removes unreadable catalog records if that is accepted. @throws {ConfigurationDamaged} */
export function refuseDamagedRecords(
  db: DatabaseSync,
  box: SecretBox,
  { acceptLoss }: DamageOptions,
): void {
  const records = db.prepare('SELECT kind, id, document, settings FROM catalog').all()
  const damaged = records
    .filter((row) => !canBeOpened(row as unknown as SealedRecord, box))
    .map(({ kind, id }) => ({ kind: String(kind), id: String(id) }))
  if (damaged.length === 0) return
  const texts = damaged.map(({ kind, id }) => `The ${kind} ${id} in the database is corrupted.`)
  const number = lastCommit(db)
  if (acceptLoss !== number)
    throw new ConfigurationDamaged(
      `${texts.join(' ')} Without it, calls would be rejected and deliveries dropped. Restore a backup (hookline restore <backup> --replace). ` +
        `To continue without it and recreate it afterwards, start once with --accept-loss ${number}.`,
    )
  const remove = db.prepare('DELETE FROM catalog WHERE kind = ? AND id = ?')
  for (const { kind, id } of damaged) remove.run(kind, id)
  addDamages(db, texts)
}

interface CheckedQueue {
  damaged(): Iterable<readonly Unreadable[]>
}

interface CheckedQueues {
  readonly deliveries: CheckedQueue
  readonly noticeQueue: CheckedQueue & Quarantine
}

/** Quarantines corrupted waiting items at startup: one that is held would otherwise never be found. */
export async function quarantineDamaged(
  { deliveries, quarantine, noticeQueue }: Pick<Backend, 'quarantine'> & CheckedQueues,
  { onDamage }: DamageOptions,
): Promise<void> {
  const move = async (from: CheckedQueue, to: Quarantine, noun: string): Promise<void> => {
    let count = 0
    for (const items of from.damaged()) {
      await to.add(items.map((item) => ({ ...item, at: systemClock.wall() })))
      count += items.length
    }
    if (count > 0) onDamage?.(`Pending ${noun} were corrupted and have been quarantined: ${count}.`)
  }
  await move(deliveries, quarantine, 'deliveries')
  await move(noticeQueue, noticeQueue, 'deletion notices')
}

function canBeOpened(record: SealedRecord, box: SecretBox): boolean {
  try {
    openRecord(record, box)
    return true
  } catch {
    return false
  }
}
