import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { openRecord, type SealedRecord } from '../../store/catalog.ts'
import { lastCommit } from '../database/commit-mark.ts'
import type { Backend } from '../../backend.ts'
import type { Quarantine, UnreadableRecord } from '../../quarantine.ts'

/** Configuration is corrupted: continuing without it would reject calls and drop deliveries. */
class ConfigurationCorruptedError extends Error {
  override readonly name = 'ConfigurationCorruptedError'
}

export function recordCorruption(db: DatabaseSync, descriptions: readonly string[]): void {
  const add = db.prepare('INSERT INTO corruptions VALUES (?, ?, 0)')
  for (const description of descriptions) add.run(systemClock.wall(), description)
}

export function reportCorruption(db: DatabaseSync, { onCorruption }: CorruptionOptions): void {
  const unreported = db.prepare(
    'SELECT description FROM corruptions WHERE is_reported = 0 ORDER BY rowid',
  )
  for (const { description } of unreported.all()) onCorruption?.(String(description))
  db.exec('UPDATE corruptions SET is_reported = 1 WHERE is_reported = 0')
}

export interface CorruptionOptions {
  /** The number of the last commit in the database, if the operator accepts the loss of later ones. */
  readonly acceptLoss?: number | undefined
  /** Called with a description of each loss found at startup. */
  readonly onCorruption?: (description: string) => void
}

/** Removes unreadable catalog records if that is accepted. @throws {ConfigurationCorruptedError} */
export function refuseCorruptedRecords(
  db: DatabaseSync,
  box: SecretBox,
  { acceptLoss }: CorruptionOptions,
): void {
  const records = db.prepare('SELECT kind, id, document, settings FROM catalog').all()
  const corrupted = records
    .filter((row) => !canBeOpened(row as unknown as SealedRecord, box))
    .map(({ kind, id }) => ({ kind: String(kind), id: String(id) }))
  if (corrupted.length === 0) return
  const texts = corrupted.map(({ kind, id }) => `The ${kind} ${id} in the database is corrupted.`)
  const number = lastCommit(db)
  if (acceptLoss !== number)
    throw new ConfigurationCorruptedError(
      `${texts.join(' ')} Without this configuration, calls would be rejected and deliveries dropped. Restore a backup (hookline restore <backup> --replace). ` +
        `To continue without it and recreate it afterwards, start once with --accept-loss ${number}.`,
    )
  const remove = db.prepare('DELETE FROM catalog WHERE kind = ? AND id = ?')
  for (const { kind, id } of corrupted) remove.run(kind, id)
  recordCorruption(db, texts)
}

interface CheckedQueue {
  corrupted(): Iterable<readonly UnreadableRecord[]>
}

interface CheckedQueues {
  readonly deliveries: CheckedQueue
  readonly noticeQueue: CheckedQueue & Quarantine
}

/** Quarantines corrupted waiting items at startup: a held one would otherwise never be found. */
export async function quarantineCorrupted(
  { deliveries, quarantine, noticeQueue }: Pick<Backend, 'quarantine'> & CheckedQueues,
  { onCorruption }: CorruptionOptions,
): Promise<void> {
  const move = async (from: CheckedQueue, to: Quarantine, noun: string): Promise<void> => {
    let count = 0
    for (const items of from.corrupted()) {
      await to.add(items.map((item) => ({ ...item, at: systemClock.wall() })))
      count += items.length
    }
    if (count > 0)
      onCorruption?.(`Pending ${noun} were corrupted and have been quarantined: ${count}.`)
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
