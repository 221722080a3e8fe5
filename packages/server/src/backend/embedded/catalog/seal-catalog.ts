import type { Destination } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { SecretBox } from '../../../util/secrets/secret-box.ts'
import { type OnUnreadable, sealAgain } from '../database/seal-again.ts'
import {
  isSealed,
  openDestination,
  sealDestination,
  type SealedDestination,
} from './sealed-destination.ts'

/** The kind of the row in `catalog` that names the key of the sealed secrets. */
const KEY_KIND = 'encryption_key'

/** Ids of the keys that secrets in the catalog are sealed with. Empty for a database that has no tables yet. */
export function usedKeys(db: DatabaseSync): ReadonlySet<string> {
  if (!hasCatalog(db)) return new Set()
  const recorded = db.prepare('SELECT id FROM catalog WHERE kind = ?').all(KEY_KIND)
  const sealed = storedDestinations(db).filter(isSealed)
  return new Set([
    ...recorded.map(({ id }) => String(id)),
    ...sealed.map(({ settings }) => SecretBox.keyIdOf(settings)),
  ])
}

/**
 * Seals every destination with the key of `box`, and records the id of the key. A second call does nothing.
 *
 * The lanes and the audit log are sealed with the same key. What is damaged in them stays as it is: `onUnreadable` is told.
 */
export function sealCatalog(
  db: DatabaseSync,
  box: SecretBox,
  onUnreadable: OnUnreadable = () => undefined,
): void {
  const isRecorded = db
    .prepare('SELECT 1 FROM catalog WHERE kind = ? AND id = ?')
    .get(KEY_KIND, box.keyId)
  if (isRecorded !== undefined) return
  const stored = storedDestinations(db)
  inTransaction(db, () => {
    sealDestinations(db, stored, box)
    sealAgain(db, box, onUnreadable)
  })
  inTransaction(db, () => {
    db.prepare('DELETE FROM catalog WHERE kind = ?').run(KEY_KIND)
    db.prepare("INSERT INTO catalog VALUES (?, ?, 1, '{}')").run(KEY_KIND, box.keyId)
  })
}

function sealDestinations(
  db: DatabaseSync,
  stored: readonly (Destination | SealedDestination)[],
  box: SecretBox,
): void {
  const update = db.prepare("UPDATE catalog SET document = ? WHERE kind = 'destination' AND id = ?")
  for (const each of stored) {
    const destination = isSealed(each) ? openDestination(each, box) : each
    update.run(JSON.stringify(sealDestination(destination, box)), each.id)
  }
}

function storedDestinations(db: DatabaseSync): (Destination | SealedDestination)[] {
  const rows = db.prepare("SELECT document FROM catalog WHERE kind = 'destination'").all()
  return rows.map(({ document }) => JSON.parse(String(document)) as Destination | SealedDestination)
}

function hasCatalog(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'catalog'").get() !== undefined
}

function inTransaction(db: DatabaseSync, work: () => void): void {
  try {
    db.exec('BEGIN IMMEDIATE')
    work()
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}
