import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { DATABASE_NAME } from '../../../../src/backend/embedded/database/data-dir.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import {
  LANE,
  OTHER_LANE,
  partOf,
  recordDelivery,
} from '../../conformance/deliveries/recorded-delivery.ts'

const [FIRST, SECOND] = [SecretBox.newKey(), SecretBox.newKey()]
const ENTRIES = 600

function open(
  folder: TemporaryFolder,
  key: string,
  onUnreadable: (row: object) => void = () => undefined,
): Promise<Backend> {
  const encryptionKey = new Redacted(key)
  return openEmbeddedBackend({
    dataDir: folder.path,
    maxWaitingBytes: 2 ** 20,
    encryptionKey,
    onUnreadable,
  })
}

/** Stores a delivery with parts in two lanes, and more audit entries than one slice. Returns the delivery's id. */
async function keep(folder: TemporaryFolder): Promise<string> {
  await using backend = await open(folder, FIRST)
  const webhooks = [partOf(), partOf({ url: OTHER_LANE.url })]
  const { id } = await recordDelivery({ backend }, { webhooks })
  const entries = Array.from({ length: ENTRIES }, (_, index) => auditEntryOf(`adt_${index}`))
  await Promise.all(entries.map((each) => backend.audit.append(each)))
  return id
}

async function read(backend: Backend, id: string) {
  const { data } = await backend.audit.list({}, { limit: ENTRIES })
  const delivery = await backend.deliveries.find(id)
  return {
    urls: delivery!.webhooks.map(({ url }) => url),
    readable: data.filter(({ isUnreadable }) => isUnreadable === undefined).length,
  }
}

test('a key change encrypts the URLs of lanes and the audit log with the new key', async () => {
  using folder = new TemporaryFolder()
  const id = await keep(folder)
  await (await open(folder, `${SECOND},${FIRST}`))[Symbol.asyncDispose]()
  await using backend = await open(folder, SECOND)
  expect(await read(backend, id)).toEqual({
    urls: [LANE.url, OTHER_LANE.url],
    readable: ENTRIES,
  })
})

test('a key change leaves corrupted rows unchanged and reports each', async () => {
  using folder = new TemporaryFolder()
  const id = await keep(folder)
  {
    using db = new DatabaseSync(join(folder.path, DATABASE_NAME))
    db.exec("UPDATE lanes SET sealed_url = replace(sealed_url, '.', '.x') WHERE number = 1")
    db.exec("UPDATE audit SET sealed = 'corrupted' WHERE seq = 2")
  }
  const reported: object[] = []
  const both = `${SECOND},${FIRST}`
  await (await open(folder, both, (row) => void reported.push(row)))[Symbol.asyncDispose]()
  expect(reported).toEqual([
    { table: 'lanes', key: 1 },
    { table: 'audit', key: 2 },
  ])
  await using backend = await open(folder, SECOND)
  expect(await read(backend, id)).toEqual({ urls: ['', OTHER_LANE.url], readable: ENTRIES - 1 })
})
