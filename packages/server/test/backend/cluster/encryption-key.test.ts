import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { openClusterBackend } from '../../../src/backend/cluster/open.ts'
import {
  EncryptionKeyMismatchError,
  checkEncryptionKey,
} from '../../../src/backend/cluster/encryption/encryption-key.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { auditEntryOf } from '@hookline/testing/records/audit-entry'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { attemptOf, LANE, recordDelivery } from '../conformance/deliveries/recorded-delivery.ts'
import { type ClusterHarness, openClusterHarness } from './open-cluster-harness.ts'
import { openPostgres } from './open-postgres.ts'

const destination = newDestination({ settings: { sharedSecret: 's3cret' } })

describe.skipIf(clusterSkipReason() !== undefined)('the encryption key of a cluster', () => {
  test('is the same on all nodes: a node with another key is refused with a reason', async () => {
    await using harness = await openClusterHarness()
    const other = SecretBox.newKey()
    const refused = openClusterBackend({ ...harness.options, encryptionKey: new Redacted(other) })
    await expect(refused).rejects.toThrow(EncryptionKeyMismatchError)
    await expect(refused).rejects.toThrow('HOOKLINE_ENCRYPTION_KEY')
    await expect(refused).rejects.not.toThrow(other)
    await using second = await openClusterBackend(harness.options)
    expect(second.catalog.current.sources.size).toBe(0)
  })

  test('is changed node by node: nodes with both keys read data encrypted with either', async () => {
    await using harness = await openClusterHarness()
    const [old, next] = [harness.options.encryptionKey.reveal(), SecretBox.newKey()]
    await harness.backend.catalog.putDestination(destination)
    await using ready = await nodeWith(harness, old, next)
    await using changed = await nodeWith(harness, next, old)
    const renamed = { ...destination, name: 'Renamed', version: 2 }
    await changed.catalog.putDestination(renamed)
    await expect.poll(() => ready.catalog.current.destinations.get('dst_a')).toEqual(renamed)
    await expect(nodeWith(harness, old)).rejects.toThrow(EncryptionKeyMismatchError)
  })

  test('can be removed once everything is re-encrypted with a new key', async () => {
    await using harness = await openClusterHarness()
    const [old, next] = [harness.options.encryptionKey.reveal(), SecretBox.newKey()]
    await harness.backend.catalog.putDestination(destination, auditEntryOf('adt_a'))
    const receipts = await harness.backend.ownKeys.keyOf('receipts', () => 'a key')
    const delivery = await recordDelivery(harness)
    await harness.backend[Symbol.asyncDispose]()
    await (await nodeWith(harness, next, old))[Symbol.asyncDispose]()
    await using changed = await nodeWith(harness, next)
    expect(changed.catalog.current.destinations.get('dst_a')).toEqual(destination)
    expect((await changed.audit.list({}, { limit: 9 })).data).toEqual([auditEntryOf('adt_a')])
    expect(await changed.ownKeys.keyOf('receipts', () => 'another')).toBe(receipts)
    expect((await changed.deliveries.list({}, { limit: 9 })).data).toMatchObject([delivery])
    await changed.deliveries.record([{ delivery, attempts: [attemptOf()] }])
    expect(await harness.sql('SELECT count(*)::int AS lanes FROM lanes')).toEqual([{ lanes: 1 }])
    await expect(nodeWith(harness, old)).rejects.toThrow(EncryptionKeyMismatchError)
  })

  test('is needed as long as anything is encrypted with it', async () => {
    await using harness = await openClusterHarness()
    const [old, next] = [harness.options.encryptionKey.reveal(), SecretBox.newKey()]
    await using changed = await nodeWith(harness, next, old)
    await harness.backend.audit.append(auditEntryOf('adt_late'))
    await expect(nodeWith(harness, next)).rejects.toThrow(EncryptionKeyMismatchError)
    await (await nodeWith(harness, next, old))[Symbol.asyncDispose]()
    await using last = await nodeWith(harness, next)
    expect((await last.audit.list({}, { limit: 9 })).data).toEqual([auditEntryOf('adt_late')])
    expect(changed.catalog.current.sources.size).toBe(0)
  })

  test('can be changed even if a node without the new key has created another lane for a webhook', async () => {
    await using harness = await openClusterHarness()
    const [old, next] = [harness.options.encryptionKey.reveal(), SecretBox.newKey()]
    await recordDelivery(harness)
    await using changed = await nodeWith(harness, next, old)
    await harness.sql(`INSERT INTO lanes (queue, destination_id, key, sealed_url)
      SELECT queue, destination_id, 'of the old key', '${sealedWith(old)}' FROM lanes`)
    await (await nodeWith(harness, next, old))[Symbol.asyncDispose]()
    await using last = await nodeWith(harness, next)
    expect(last.catalog.current).toEqual(changed.catalog.current)
  })

  test('is set by the first of several nodes that start with different keys', async () => {
    await using postgres = await openPostgres()
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => {
        const box = new SecretBox(SecretBox.keysIn(SecretBox.newKey())!)
        return checkEncryptionKey(postgres, box)
      }),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

function nodeWith({ options }: ClusterHarness, ...keys: string[]): Promise<Backend> {
  return openClusterBackend({ ...options, encryptionKey: new Redacted(keys.join(',')) })
}

/** The URL of a lane, encrypted with this key. */
function sealedWith(key: string): string {
  return new SecretBox(SecretBox.keysIn(key)!).seal(LANE.url, LANE.destinationId)
}
