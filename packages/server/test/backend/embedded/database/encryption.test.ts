import type { Destination } from '@hookline/protocol'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { EncryptionKeyMismatchError } from '../../../../src/backend/embedded/database/key-files.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const SECRET = 'planted-shared-secret'
const PREVIOUS = 'planted-previous-secret'
const VALUE = 'planted-header-value'
const PATH = 'planted-path'
const PLANTED = [SECRET, PREVIOUS, VALUE, PATH]

const destination = newDestination({
  settings: {
    sharedSecret: SECRET,
    previousSecret: { secret: PREVIOUS, until: NOON },
    webhooks: [{ url: `https://example.com/${PATH}`, headers: { authorization: VALUE } }],
  },
})

function open(folder: TemporaryFolder, key?: string): Promise<Backend> {
  const encryptionKey = key === undefined ? undefined : new Redacted(key)
  return openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 20, encryptionKey })
}

async function keep(folder: TemporaryFolder, key?: string): Promise<void> {
  await using backend = await open(folder, key)
  await backend.catalog.putDestination(destination)
  await backend.catalog.putDestination({ ...destination, version: 2 })
}

async function read(folder: TemporaryFolder, key?: string): Promise<Destination | undefined> {
  await using backend = await open(folder, key)
  return backend.catalog.current.destinations.get('dst_a')
}

const found = (folder: TemporaryFolder): string[] =>
  PLANTED.flatMap((text) => filesWith(folder.path, text))

describe('secrets in the data folder', () => {
  test('are in no file in plain text, while the service runs and after it has stopped', async () => {
    using folder = new TemporaryFolder()
    {
      await using backend = await open(folder)
      const shown = { url: destination.settings.webhooks[0]!.url }
      const [created, changed] = [
        auditEntryOf('adt_a', { after: shown }),
        auditEntryOf('adt_b', { before: shown, after: shown }),
      ]
      await backend.catalog.putDestination(destination, created)
      await backend.catalog.putDestination({ ...destination, version: 2 }, changed)
      await backend.audit.append(auditEntryOf('adt_c', { before: shown }))
      expect(found(folder)).toEqual([])
    }
    expect(found(folder)).toEqual([])
    expect(await read(folder)).toEqual({ ...destination, version: 2 })
  })

  test('are encrypted with a key that is created once and readable only by the owner', async () => {
    using folder = new TemporaryFolder()
    await keep(folder)
    const file = join(folder.path, 'encryption-key')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const key = readFileSync(file, 'utf8')
    expect(SecretBox.keysIn(key)).toHaveLength(1)
    await read(folder)
    expect(readFileSync(file, 'utf8')).toBe(key)
  })

  test('can be decrypted only with the id of their destination', async () => {
    using folder = new TemporaryFolder()
    await keep(folder)
    {
      using db = new DatabaseSync(join(folder.path, 'hookline.db'))
      db.exec(`UPDATE catalog SET id = 'dst_b', document = replace(document, 'dst_a', 'dst_b')
               WHERE kind = 'destination'`)
    }
    await expect(read(folder)).rejects.toThrow(/destination dst_b in the database is corrupted/)
  })
})

describe('startup', () => {
  const [first, second] = [SecretBox.newKey(), SecretBox.newKey()]

  test('with another key is refused with instructions, and changes nothing', async () => {
    using folder = new TemporaryFolder()
    await keep(folder, first)
    await expect(open(folder, second)).rejects.toThrow(EncryptionKeyMismatchError)
    await expect(open(folder, second)).rejects.toThrow(/Wrong key in .*HOOKLINE_ENCRYPTION_KEY/)
    const ids = [first, second].map((key) => new SecretBox(SecretBox.keysIn(key)!).keyId)
    await expect(open(folder, second)).rejects.toThrow(new RegExp(ids.join('|')))
    expect(await read(folder, first)).toEqual({ ...destination, version: 2 })
  })

  test('with another key is refused even without stored secrets', async () => {
    using folder = new TemporaryFolder()
    await (await open(folder, first))[Symbol.asyncDispose]()
    await expect(open(folder, second)).rejects.toThrow(EncryptionKeyMismatchError)
  })

  test('without the key file is refused, and creates no new key', async () => {
    using folder = new TemporaryFolder()
    await keep(folder)
    const file = join(folder.path, 'encryption-key')
    const key = readFileSync(file, 'utf8')
    rmSync(file)
    await expect(open(folder)).rejects.toThrow(/No valid key found in .*encryption-key.*backup/)
    writeFileSync(file, 'not a key')
    await expect(open(folder)).rejects.toThrow(EncryptionKeyMismatchError)
    writeFileSync(file, key)
    expect(await read(folder)).toEqual({ ...destination, version: 2 })
  })

  test('with a new key before the old one encrypts everything with the new key, so that the next start needs only that one', async () => {
    using folder = new TemporaryFolder()
    await keep(folder, first)
    expect(await read(folder, `${second},${first}`)).toEqual({ ...destination, version: 2 })
    expect(await read(folder, second)).toEqual({ ...destination, version: 2 })
    await expect(open(folder, first)).rejects.toThrow(EncryptionKeyMismatchError)
  })

  test('with another key changes nothing, even if the id of the first key was lost', async () => {
    using folder = new TemporaryFolder()
    await keep(folder, first)
    {
      using db = new DatabaseSync(join(folder.path, 'hookline.db'))
      db.exec('DELETE FROM encryption_keys')
    }
    await expect(open(folder, second)).rejects.toThrow(
      /destination dst_a in the database is corrupted/,
    )
    expect(await read(folder, first)).toEqual({ ...destination, version: 2 })
  })
})
