import { copyFileSync } from 'node:fs'
import { expect, describe, test } from 'vitest'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { DataDirInUseError } from '../../../src/backend/embedded/database/data-dir.ts'
import { EncryptionKeyMismatchError } from '../../../src/backend/embedded/database/key-files.ts'
import {
  UnusableDatabaseError,
  openStoppedData,
} from '../../../src/backend/embedded/stopped/stopped-database.ts'
import { moveData } from '../../../src/backend/cluster/move/move-data.ts'
import {
  ClusterInUseError,
  ClusterNotEmptyError,
} from '../../../src/backend/cluster/move/move-progress.ts'
import { EventTooLargeError } from '../../../src/backend/cluster/move/moved-tables.ts'
import { Redacted } from '../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../src/util/secrets/secret-box.ts'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { newSource } from '@hookline/testing/records/catalog-records'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import type { ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openPostgres } from '../cluster/open-postgres.ts'
import {
  ADMIN_TOKEN,
  editDatabase,
  type FilledFolder,
  fillFolder,
  MAX_WAITING_BYTES,
  openServiceAt,
  order,
  sendCalls,
} from './filled-folder.ts'
import { moveInto, openNode, openTarget } from './open-target.ts'
import { snapshotOf } from './snapshot.ts'

const messageIdOf = ({ body }: ReceivedRequest): string =>
  String((JSON.parse(body.toString()) as { messageId?: string }).messageId)

async function embeddedSnapshot({ dataDir }: FilledFolder) {
  await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: MAX_WAITING_BYTES })
  return await snapshotOf(backend)
}

describe.skipIf(clusterSkipReason() !== undefined)('the data of a stopped service', () => {
  test('is the same in the cluster as in the file', async () => {
    await using folder = await fillFolder()
    await using target = await openTarget()
    const before = await embeddedSnapshot(folder)
    const report = await moveInto(target, folder.dataDir)
    const rowsOf = (name: string) => report.tables.find(({ table }) => table === name)?.rows
    expect(rowsOf('outbox')).toBe(folder.appended.length + folder.unacked)
    const empty = report.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)
    // No request had an idempotency key.
    expect(empty).toEqual(['idempotent_responses'])
    await using node = await openNode(target)
    expect(await snapshotOf(node)).toEqual(before)
  })

  test('is delivered if it was waiting, and still deduplicates calls and suppresses users', async () => {
    await using folder = await fillFolder()
    const { good, failing, source, destinations } = folder
    await using target = await openTarget()
    await moveInto(target, folder.dataDir)
    const delivered = good.requests.length
    failing.requests.length = 0
    failing.respond = () => 200
    using data = new TemporaryFolder()
    await using service = await openServiceAt({ ...target.settings, HOOKLINE_DATA_DIR: data.path })
    const api = new ManagementApi(service.url, ADMIN_TOKEN)
    // The backlog of the failing receiver, with the notices of two deletions, and undecided events.
    const wanted = [...folder.appended.map((_, index) => `undecided ${index}`), 'first u4', 'm2']
    await expect
      .poll(() => failing.requests.map(messageIdOf))
      .toEqual(expect.arrayContaining(wanted))
    await expect
      .poll(() => failing.requests.filter(({ body }) => body.includes('"delete"')).length)
      .toBe(2)
    await sendCalls(service.url, source, [
      order('u1', 'first u1'),
      order('u1', 'undecided 0'),
      order('gone', 'much too late'),
      order('newcomer', 'after the move'),
    ])
    const path = `audiences/${folder.audienceId}/members?limit=200`
    const members = async () =>
      (await api.call<{ data: { userId: string }[] }>('GET', path)).data.map(({ userId }) => userId)
    await expect.poll(members).toContain('newcomer')
    await expect
      .poll(() =>
        good.requests
          .slice(delivered)
          .map(messageIdOf)
          .filter((id) => !id.startsWith('hookline'))
          .toSorted(),
      )
      .toEqual(
        expect.arrayContaining(['after the move', 'undecided 0', 'undecided 1', 'undecided 2']),
      )
    // Nothing was delivered twice, although some log entries were unacked.
    const ids = good.requests.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(ids.length)
    const after = good.requests.slice(delivered).map(messageIdOf)
    expect(after.filter((id) => id.startsWith('undecided')).length).toBe(3)
    expect(after).not.toContain('much too late')
    const held = await api.call<{ data: unknown[] }>(
      'GET',
      `deliveries?destinationId=${destinations.paused}&state=held&limit=200`,
    )
    expect(held.data.length).toBeGreaterThan(folder.unacked)
  })

  test('is neither delivered nor archived again if a purge that covers it has started', async () => {
    await using folder = await fillFolder()
    editDatabase(folder.dataDir, (db) => {
      db.exec(`INSERT INTO deletions (id, step, started_at, purge_through, document) VALUES ('del_begun', 'purge', 1,
        (SELECT MAX(seq) FROM events), '{"id":"del_begun","createdAt":1,"sourceIds":null,"suppress":false,"users":1}')`)
      db.exec(`INSERT INTO deletion_ids VALUES ('del_begun', 'user', 'u5')`)
    })
    await using target = await openTarget()
    const report = await moveInto(target, folder.dataDir)
    expect(report.tables.find(({ table }) => table === 'outbox')?.skipped).toBeGreaterThan(0)
    const before = folder.good.requests.length
    using data = new TemporaryFolder()
    await using service = await openServiceAt({ ...target.settings, HOOKLINE_DATA_DIR: data.path })
    const api = new ManagementApi(service.url, ADMIN_TOKEN)
    await expect
      .poll(() => folder.good.requests.slice(before).map(messageIdOf))
      .toEqual(expect.arrayContaining(['undecided 0', 'undecided 2']))
    const left = async () => (await api.call<{ data: unknown[] }>('GET', 'events?userId=u5')).data
    await expect.poll(left).toEqual([])
    expect(folder.good.requests.slice(before).map(messageIdOf)).not.toContain('undecided 1')
  })

  test('is not moved if a service is running, the folder is missing, or the key does not match', async () => {
    await using folder = await fillFolder()
    await using target = await openTarget()
    {
      await using _running = await openServiceAt({ HOOKLINE_DATA_DIR: folder.dataDir })
      await expect(moveInto(target, folder.dataDir)).rejects.toThrow(DataDirInUseError)
    }
    await expect(moveInto(target, `${folder.dataDir}-none`)).rejects.toThrow(UnusableDatabaseError)
    using moved = new TemporaryFolder()
    copyFileSync(`${folder.dataDir}/hookline.db`, `${moved.path}/hookline.db`)
    // The copied folder lacks its key file.
    await expect(moveInto(target, moved.path)).rejects.toThrow(EncryptionKeyMismatchError)
    await using node = await openNode(target)
    expect(node.catalog.current.sources.size).toBe(0)
  })

  test('is refused by a cluster with data, running nodes or another key', async () => {
    await using folder = await fillFolder()
    await using target = await openTarget()
    {
      await using node = await openNode(target)
      await expect(moveInto(target, folder.dataDir)).rejects.toThrow(ClusterInUseError)
      await node.catalog.putSource(newSource())
    }
    await expect(moveInto(target, folder.dataDir)).rejects.toThrow(ClusterNotEmptyError)
    const other = {
      ...target,
      options: { ...target.options, encryptionKey: new Redacted(SecretBox.newKey()) },
    }
    await expect(moveInto(other, folder.dataDir)).rejects.toThrow('HOOKLINE_ENCRYPTION_KEY')
    // The cluster is unchanged.
    await using node = await openNode(target)
    expect([...node.catalog.current.sources.keys()]).toEqual([newSource().id])
  })

  test('may be partly corrupt: corrupt events are skipped, and unreadable secrets stay unreadable', async () => {
    await using folder = await fillFolder()
    const [corrupted] = folder.appended
    let entries = 0
    editDatabase(folder.dataDir, (db) => {
      db.prepare("UPDATE events SET body = body || ' ' WHERE id = ?").run(corrupted!)
      db.exec("UPDATE lanes SET sealed_url = replace(sealed_url, '.', '.x') WHERE number < 3")
      db.exec("UPDATE audit SET sealed = replace(sealed, '.', '.x') WHERE seq = 1")
      entries = Number(db.prepare('SELECT count(*) AS count FROM audit').get()!['count'])
    })
    await using target = await openTarget()
    const skipped: [string, string][] = []
    const onSkipped = (table: string, id: string) => void skipped.push([table, id])
    const report = await moveInto(target, folder.dataDir, { onSkipped })
    const unfinished = report.tables.find(({ table }) => table === 'outbox')
    expect(unfinished?.rows).toBe(folder.appended.length + folder.unacked - 1)
    expect(skipped).toEqual([
      ['events', corrupted],
      ['outbox', corrupted],
    ])
    await using node = await openNode(target)
    const { data } = await node.audit.list({}, { limit: entries })
    expect(data.filter(({ isUnreadable }) => isUnreadable === true)).toHaveLength(1)
    expect(data).toHaveLength(entries)
  })

  test('is not moved twice: the command repeats its report', async () => {
    await using folder = await fillFolder()
    await using target = await openTarget()
    const report = await moveInto(target, folder.dataDir)
    {
      await using node = await openNode(target)
      await node.catalog.putSource({ ...newSource(), id: 'src_later' })
    }
    expect(await moveInto(target, folder.dataDir)).toEqual(report)
    await using other = await fillFolder()
    await expect(moveInto(target, other.dataDir)).rejects.toThrow(ClusterNotEmptyError)
  })

  test('is refused if an event exceeds the NATS message limit, and can be moved later', async () => {
    await using folder = await fillFolder()
    await using postgres = await openPostgres()
    using data = openStoppedData({ dataDir: folder.dataDir })
    const box = new SecretBox([...SecretBox.keysIn(SecretBox.newKey())!])
    const options = { postgres, box, data, checkLog: async () => undefined }
    const small = moveData({ ...options, maxPayloadBytes: 1_100 })
    await expect(small).rejects.toThrow(EventTooLargeError)
    const { tables } = await moveData({ ...options, maxPayloadBytes: 1024 * 1024 })
    expect(tables.find(({ table }) => table === 'outbox')?.rows).toBe(
      folder.appended.length + folder.unacked,
    )
  })
})
