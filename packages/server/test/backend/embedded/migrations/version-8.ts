import type { AcceptedEvent, Attempt } from '@hookline/protocol'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { sealCatalog } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { DATABASE_NAME, DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import type { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** An attempt as version 8 kept it. */
export type Attempt8 = Attempt & { readonly round: number }

/** What version 8 kept of a webhook. It had no entry for a webhook that was not attempted. */
export interface Webhook8 {
  readonly url: string
  readonly outcome: 'delivered' | 'retry' | 'rejected'
  readonly dueAt?: number
  readonly last: Attempt8
}

/** A delivery or a notice of version 8, to `dst_a`. */
export interface Row8 {
  readonly state: string
  readonly webhooks?: readonly Webhook8[]
  readonly dueAt?: number | null
  readonly rounds?: number
  /** Rows of `attempts`. */
  readonly attempts?: readonly Attempt8[]
}

/** A database as version 8 left it, with a recorded key and without anything in the catalog. */
export class Version8 implements Disposable {
  readonly #db: DatabaseSync

  constructor(folder: TemporaryFolder, key: string) {
    const file = join(folder.path, DATABASE_NAME)
    this.#db = DataDir.openForWriting(file)
    migrate(this.#db, file, MIGRATIONS.slice(0, 8))
    sealCatalog(this.#db, new SecretBox(SecretBox.keysIn(key)!))
  }

  /** Keeps a delivery of the event, and returns its id. */
  delivery(event: AcceptedEvent, row: Row8): string {
    this.#event(event)
    const id = deliveryId(event.id, 'dst_a')
    this.#insert('deliveries', { id, event_id: event.id, ...columnsOf(row) })
    this.#attempts(id, row)
    return id
  }

  notice(id: string, deletionId: string, row: Row8): string {
    const ids = { id, deletion_id: deletionId, source_id: 'src_a', user_id: id, created_at: NOON }
    this.#insert('notices', { ...ids, attempts: row.rounds ?? 0, ...columnsOf(row) })
    this.#attempts(id, row)
    return id
  }

  /** Makes changes in one transaction. */
  together(changes: () => void): void {
    this.#db.exec('BEGIN')
    changes()
    this.#db.exec('COMMIT')
  }

  /** Records a delivery again that it has. */
  update(id: string, row: Row8): void {
    const { webhooks } = columnsOf(row)
    this.#db.prepare('UPDATE deliveries SET webhooks = ? WHERE id = ?').run(webhooks, id)
    this.#attempts(id, row)
  }

  /** Damages the webhooks of a delivery. */
  damage(id: string): void {
    this.#db.prepare(`UPDATE deliveries SET webhooks = '[{"url":' WHERE id = ?`).run(id)
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  #event({ id, event }: AcceptedEvent): void {
    this.#insert('events', {
      id,
      source_id: 'src_a',
      message_id: event.messageId,
      type: event.type,
      received_at: NOON,
      marks: '',
      body: JSON.stringify(event),
    })
  }

  #attempts(id: string, { attempts = [] }: Row8): void {
    for (const attempt of attempts)
      this.#insert('attempts', {
        delivery_id: id,
        id: attempt.id,
        document: JSON.stringify(attempt),
      })
  }

  #insert(table: string, row: Readonly<Record<string, SQLInputValue>>): void {
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    this.#db
      .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
      .run(...Object.values(row))
  }
}

function columnsOf({ state, webhooks = [], dueAt = null, rounds = 0 }: Row8) {
  return {
    destination_id: 'dst_a',
    state,
    rounds,
    first_due_at: NOON,
    due_at: dueAt,
    webhooks: JSON.stringify(webhooks),
  }
}
