import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../../../src/backend/audit.ts'
import type { Backend } from '../../../../src/backend/backend.ts'
import { addSealing, sealCatalog } from '../../../../src/backend/embedded/catalog/seal-catalog.ts'
import { DATABASE_NAME, DataDir } from '../../../../src/backend/embedded/database/data-dir.ts'
import { migrate } from '../../../../src/backend/embedded/migrations/migrate.ts'
import { MIGRATIONS } from '../../../../src/backend/embedded/migrations/migrations.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const KEY = SecretBox.newKey()
const URL = 'https://a.example/planted'

const ENTRIES = [
  auditEntryOf('adt_1', { after: { url: URL } }),
  auditEntryOf('adt_2', { before: { url: URL }, after: { url: `${URL}-2` }, at: NOON + 1 }),
  // Longer than a page of the database.
  auditEntryOf('adt_3', { targetId: null, before: { urls: `${URL} `.repeat(1_000) } }),
]

/** A database as version 9 left it. */
class Version9 implements Disposable {
  readonly #db: DatabaseSync
  readonly #folder: TemporaryFolder

  constructor(folder: TemporaryFolder) {
    this.#folder = folder
    const file = join(folder.path, DATABASE_NAME)
    const box = new SecretBox(SecretBox.keysIn(KEY)!)
    this.#db = DataDir.openForWriting(file)
    addSealing(this.#db, box)
    migrate(this.#db, file, MIGRATIONS.slice(0, 9))
    sealCatalog(this.#db, box)
  }

  append(entry: AuditEntry, document = JSON.stringify(entry)): void {
    this.#db
      .prepare('INSERT INTO audit (actor_id, action, target_id, document) VALUES (?, ?, ?, ?)')
      .run(entry.actor.id, entry.action, entry.targetId, document)
  }

  /** Appends many entries of different lengths, and removes half of them, so that pages are merged. */
  appendMany(): void {
    this.#db.exec('BEGIN')
    for (let n = 0; n < 2_000; n++) {
      const urls = `${URL} `.repeat((n * 7_919) % 300)
      this.append(auditEntryOf(`adt_${n}`, { after: { urls } }))
    }
    this.#db.exec('DELETE FROM audit WHERE seq % 3 > 0 AND seq < 1500; COMMIT')
  }

  /** Copies the files as they would be after a kill: with a write-ahead log. */
  copyAsKilled(to: TemporaryFolder): void {
    cpSync(this.#folder.path, to.path, { recursive: true })
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }
}

function open(folder: TemporaryFolder, key = KEY): Promise<Backend> {
  const encryptionKey = new Redacted(key)
  return openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 20, encryptionKey })
}

async function entriesIn({ audit }: Backend): Promise<readonly AuditEntry[]> {
  return (await audit.list({}, { limit: 9 })).data
}

/** The files with a URL in them, except the copy that the migration makes for the version before it. */
const found = (folder: TemporaryFolder): string[] =>
  filesWith(folder.path, 'planted').filter((name) => !name.endsWith('.backup'))

test('the URLs in entries from before schema 10 are in no byte of the database or its write-ahead log afterwards', async () => {
  using folder = new TemporaryFolder()
  using killed = new TemporaryFolder()
  {
    using db = new Version9(folder)
    for (const each of ENTRIES) db.append(each)
    db.copyAsKilled(killed)
  }
  expect(found(folder)).toEqual([DATABASE_NAME])
  expect(found(killed)).toEqual([`${DATABASE_NAME}-wal`])
  for (const each of [folder, killed]) {
    {
      await using backend = await open(each)
      expect(found(each)).toEqual([])
      expect(await entriesIn(backend)).toEqual(ENTRIES.toReversed())
    }
    expect(found(each)).toEqual([])
  }
})

test('no byte of a URL is left where entries were removed before', async () => {
  using folder = new TemporaryFolder()
  {
    using db = new Version9(folder)
    db.appendMany()
  }
  expect(found(folder)).toEqual([DATABASE_NAME])
  await using backend = await open(folder)
  expect(found(folder)).toEqual([])
  expect((await backend.audit.list({}, { limit: 2_000 })).data).toHaveLength(1_000)
})

test('entries from before schema 10 are found and removed like others', async () => {
  using folder = new TemporaryFolder()
  {
    using db = new Version9(folder)
    for (const each of ENTRIES) db.append(each)
  }
  await using backend = await open(folder)
  const { audit } = backend
  const listed = await audit.list({ targetId: 'src_a', actorId: 'tok_a' }, { limit: 9 })
  expect(listed.data.map(({ id }) => id)).toEqual(['adt_2', 'adt_1'])
  expect(await audit.removeBefore(NOON + 1)).toBe(2)
  await audit.append(auditEntryOf('adt_4'))
  expect((await entriesIn(backend)).map(({ id }) => id)).toEqual(['adt_4', 'adt_2'])
})

test('a damaged entry does not stop the migration, and is kept with what its columns say', async () => {
  using folder = new TemporaryFolder()
  {
    using db = new Version9(folder)
    db.append(ENTRIES[0]!, `{"id":"adt_1","url":"${URL}"`)
    db.append(ENTRIES[1]!)
  }
  await using backend = await open(folder)
  expect(found(folder)).toEqual([])
  expect(await entriesIn(backend)).toEqual([
    ENTRIES[1],
    {
      id: 'adt_1',
      at: expect.any(Number) as number,
      actor: { id: 'tok_a', name: '', role: '' },
      action: 'createSource',
      targetId: 'src_a',
      before: null,
      after: null,
      requestId: '',
      isUnreadable: true,
    },
  ])
  expect(await backend.audit.removeBefore(NOON + 2)).toBe(1)
})

test('entries are sealed with the new key where the key changes at the start that migrates', async () => {
  using folder = new TemporaryFolder()
  const next = SecretBox.newKey()
  {
    using db = new Version9(folder)
    for (const each of ENTRIES) db.append(each)
  }
  await (await open(folder, `${next},${KEY}`))[Symbol.asyncDispose]()
  await using backend = await open(folder, next)
  expect(await entriesIn(backend)).toEqual(ENTRIES.toReversed())
})
