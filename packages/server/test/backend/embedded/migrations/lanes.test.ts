import type { Attempt, DeliveryPart } from '@hookline/protocol'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../../../src/backend/backend.ts'
import { openEmbeddedBackend } from '../../../../src/backend/embedded/open.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import {
  attemptOf,
  idsOf,
  lastOf,
  LANE,
  OTHER_LANE,
  partOf,
} from '../../conformance/deliveries/recorded-delivery.ts'
import { type Attempt8, type Row8, Version8, type Webhook8 } from './version-8.ts'

const KEY = SecretBox.newKey()
const DELETION = 'del_01kf0v8w007000000000000000'
const GONE = 'https://gone.example/planted'
const LATER = NOON + 60_000

function open(folder: TemporaryFolder, key = KEY): Promise<Backend> {
  const encryptionKey = new Redacted(key)
  return openEmbeddedBackend({ dataDir: folder.path, maxWaitingBytes: 2 ** 20, encryptionKey })
}

const failedOn = (url: string, change: Partial<Attempt> = {}): Attempt =>
  attemptOf({ url, ...change })

/** The attempt as version 8 kept it. */
const in8 = (attempt: Attempt): Attempt8 => ({ ...attempt, round: 1 })

const retry8 = (attempt: Attempt, dueAt?: number): Webhook8 => {
  const last = in8(lastOf(attempt))
  return { url: attempt.url, outcome: 'retry', last, ...(dueAt !== undefined && { dueAt }) }
}

const ended8 = (attempt: Attempt): Webhook8 => ({
  url: attempt.url,
  outcome: attempt.outcome,
  last: in8(lastOf(attempt)),
})

const FAILED = failedOn(LANE.url)
const LAST = lastOf(FAILED)
const TAKEN = lastOf(
  attemptOf({ id: 'att_2', url: OTHER_LANE.url, outcome: 'delivered', class: 'delivered' }),
)
const REFUSED = failedOn(LANE.url, { outcome: 'rejected', class: 'http_4xx', status: 400 })

/** The state and the parts of a delivery, as it is read back. */
interface Expected {
  readonly state: string
  readonly webhooks: readonly DeliveryPart[]
}

const tried = { rounds: 1, attempts: [in8(FAILED)] }

const ROWS: Readonly<Record<string, readonly [row: Row8, webhooks: Expected['webhooks']]>> = {
  'pending, without an attempt': [{ state: 'pending', dueAt: NOON }, []],
  'pending, with an attempt': [
    { state: 'pending', ...tried, dueAt: LATER, webhooks: [retry8(FAILED, LATER)] },
    [partOf({ dueAt: LATER, last: LAST })],
  ],
  'pending, with one of two webhooks done and one out of time': [
    { state: 'pending', ...tried, dueAt: NOON, webhooks: [ended8(TAKEN), retry8(FAILED)] },
    [
      partOf({ url: OTHER_LANE.url, state: 'delivered', last: TAKEN }),
      partOf({ state: 'expired', last: LAST }),
    ],
  ],
  'held, without an attempt': [{ state: 'held' }, []],
  'held, with an attempt': [
    { state: 'held', ...tried, webhooks: [retry8(FAILED, LATER)] },
    [partOf({ state: 'held', last: LAST })],
  ],
  'delivered, with a failure': [
    { state: 'delivered', ...tried, webhooks: [retry8(FAILED), ended8(TAKEN)] },
    [
      partOf({ state: 'not_retried', last: LAST }),
      partOf({ url: OTHER_LANE.url, state: 'delivered', last: TAKEN }),
    ],
  ],
  rejected: [
    { state: 'rejected', rounds: 1, attempts: [in8(REFUSED)], webhooks: [ended8(REFUSED)] },
    [partOf({ state: 'rejected', last: lastOf(REFUSED) })],
  ],
  'rejected, because its destination was removed': [
    { state: 'rejected', ...tried, webhooks: [retry8(FAILED, LATER)] },
    [partOf({ state: 'removed', last: LAST })],
  ],
  expired: [
    { state: 'expired', ...tried, webhooks: [retry8(FAILED)] },
    [partOf({ state: 'expired', last: LAST })],
  ],
  'expired under an open breaker': [
    { state: 'expired', ...tried, webhooks: [retry8(FAILED, LATER)] },
    [partOf({ state: 'expired', last: LAST })],
  ],
}

describe('deliveries from before schema 9', () => {
  test.each(Object.entries(ROWS))('are read back: %s', async (_, [row, webhooks]) => {
    using folder = new TemporaryFolder()
    const [event, id] = keepOne(folder, row)
    await using backend = await open(folder)
    const made = (row.attempts ?? []).map(({ round: _round, ...attempt }) => attempt)
    const delivered = webhooks.flatMap(({ last }) => (last?.outcome === 'delivered' ? [last] : []))
    expect(await backend.deliveries.find(id)).toEqual({
      id,
      eventId: event.id,
      destinationId: 'dst_a',
      state: row.state,
      rounds: row.rounds ?? 0,
      firstDueAt: NOON,
      dueAt: row.dueAt ?? null,
      webhooks,
      attempts: [...made, ...delivered],
    })
  })

  test('wait until they get their parts, where they had not ended: version 8 stored none for a webhook without an attempt', async () => {
    using folder = new TemporaryFolder()
    const ids = new Map<string, string>()
    {
      using db = new Version8(folder, KEY)
      for (const [name, [row]] of Object.entries(ROWS))
        ids.set(name, db.delivery(acceptedEvent(), row))
      ids.set('damaged', db.delivery(acceptedEvent(), { state: 'pending', dueAt: NOON }))
      db.damage(ids.get('damaged')!)
    }
    await using backend = await open(folder)
    const { deliveries } = backend
    const idsNamed = (...names: string[]): string[] =>
      names.map((name) => ids.get(name)!).toSorted()
    expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: true })
    const unsplit = await deliveries.claimUnsplit(9)
    expect(idsOf(unsplit).toSorted()).toEqual(
      idsNamed(
        'pending, with an attempt',
        'pending, without an attempt',
        'pending, with one of two webhooks done and one out of time',
        'held, with an attempt',
        'held, without an attempt',
      ),
    )
    expect(unsplit.unreadable).toEqual([])
    const [damaged] = idsNamed('damaged')
    expect(await deliveries.find(damaged!)).toMatchObject({ state: 'quarantined' })
  })

  test('are recorded and retried by hand like others', async () => {
    using folder = new TemporaryFolder()
    const [, id] = keepOne(folder, ROWS['delivered, with a failure']![0])
    await using backend = await open(folder)
    const { deliveries, replays } = backend
    const before = (await deliveries.find(id))!.attempts
    expect(await replays.retry(id, LATER)).toBe(true)
    const [claimed] = (await deliveries.claimUnsplit(9)).deliveries
    const webhooks = [partOf({ url: OTHER_LANE.url }), partOf()]
    const split = { ...claimed!.delivery, webhooks }
    await deliveries.record([{ delivery: split, attempts: [] }])
    for (const lane of [LANE, OTHER_LANE])
      expect(idsOf(await deliveries.claim(lane, { due: NOON, limit: 9 }))).toEqual([id])
    expect(await deliveries.find(id)).toEqual({ ...split, attempts: before })
  })
})

describe('notices from before schema 9', () => {
  test('are read back, and wait until they get their parts', async () => {
    using folder = new TemporaryFolder()
    const rows: readonly [string, Row8][] = [
      ['msg_01kf0v8w00a', { state: 'pending', dueAt: NOON }],
      ['msg_01kf0v8w00b', ROWS['pending, with an attempt']![0]],
      ['msg_01kf0v8w00c', { state: 'held' }],
      ['msg_01kf0v8w00d', ROWS['held, with an attempt']![0]],
      ['msg_01kf0v8w00e', ROWS['delivered, with a failure']![0]],
    ]
    {
      using db = new Version8(folder, KEY)
      for (const [id, row] of rows) db.notice(id, DELETION, row)
    }
    await using backend = await open(folder)
    const { deliveries, notices, noticeQueue } = backend
    const { data } = await notices.list(DELETION, { limit: 9 })
    expect(data.map(({ state, webhooks }) => [state, webhooks])).toEqual([
      ['pending', []],
      ['pending', ROWS['pending, with an attempt']![1]],
      ['held', []],
      ['held', ROWS['held, with an attempt']![1]],
      ['delivered', ROWS['delivered, with a failure']![1]],
    ])
    expect(data.map(({ attempts }) => attempts)).toEqual([
      [],
      [FAILED],
      [],
      [FAILED],
      [FAILED, TAKEN],
    ])
    const unsplit = idsOf(await noticeQueue.claimUnsplit(9))
    expect(new Set(unsplit.map((id) => id.at(-1)))).toEqual(new Set(['a', 'b', 'c', 'd']))
    expect(await deliveries.waiting()).toEqual({ lanes: [], isUnsplit: false })
  })
})

describe('the URLs of webhooks from before schema 9', () => {
  const DELIVERIES = 3_000

  /**
   * Keeps deliveries that grow after they were kept, in another order than that of their ids: so pages are split, and
   * copies of what was moved stay in bytes that are not used.
   * @returns the number of URLs that are kept
   */
  function keepMany(folder: TemporaryFolder): number {
    using db = new Version8(folder, KEY)
    const ids: string[] = []
    db.together(() => {
      while (ids.length < DELIVERIES)
        ids.push(db.delivery(acceptedEvent(), { state: 'pending', dueAt: LATER }))
    })
    let kept = 0
    db.together(() => {
      for (const [index, id] of ids.entries()) {
        const url = `https://${index % 40}.example/planted`
        const failed = failedOn(url, { body: 'x'.repeat((index * 7_919) % 2_000) })
        const row = { state: 'pending', dueAt: LATER, webhooks: [retry8(failed, LATER)] }
        db.update(id, { ...row, attempts: [in8(failed), in8(failedOn(GONE, { id: 'att_gone' }))] })
        kept += 4
      }
    })
    db.notice('msg_01kf0v8w00a', DELETION, {
      state: 'held',
      webhooks: [retry8(failedOn(GONE), LATER)],
    })
    return kept + 2
  }

  /** The files with a URL in them, except the copy that the migration makes for the version before it. */
  const found = (folder: TemporaryFolder): string[] =>
    filesWith(folder.path, 'planted').filter((name) => !name.endsWith('.backup'))

  test('are in no byte of the database or its write-ahead log afterwards', async () => {
    using folder = new TemporaryFolder()
    const kept = keepMany(folder)
    const bytes = readFileSync(join(folder.path, 'hookline.db'), 'latin1')
    expect(bytes.split('planted').length - 1).toBeGreaterThan(kept)
    {
      await using backend = await open(folder)
      expect(found(folder)).toEqual([])
      expect(await backend.deliveries.waiting()).toEqual({ lanes: [], isUnsplit: true })
    }
    expect(found(folder)).toEqual([])
  })

  test('are kept with the attempts, where a webhook has only attempts left', async () => {
    using folder = new TemporaryFolder()
    const gone = failedOn(GONE, { id: 'att_gone' })
    const [, id] = keepOne(folder, { ...ROWS['expired']![0], attempts: [in8(gone)] })
    await using backend = await open(folder)
    expect((await backend.deliveries.find(id))?.attempts).toEqual([gone])
  })

  test('are sealed with the key of the start, and with a new one when it changes', async () => {
    using folder = new TemporaryFolder()
    const [, id] = keepOne(folder, ROWS['pending, with an attempt']![0])
    const next = SecretBox.newKey()
    const urlOf = async (key: string): Promise<string | undefined> => {
      await using backend = await open(folder, key)
      return (await backend.deliveries.find(id))?.webhooks[0]?.url
    }
    for (const [key, sealing] of [
      [KEY, KEY],
      [`${next},${KEY}`, next],
      [next, next],
    ] as const) {
      expect(await urlOf(key)).toBe(LANE.url)
      expect(sealedWith(folder)).toEqual([new SecretBox(SecretBox.keysIn(sealing)!).keyId])
    }
  })

  test('are sealed with the new key where the key changes at the start that migrates', async () => {
    using folder = new TemporaryFolder()
    const [, id] = keepOne(folder, ROWS['pending, with an attempt']![0])
    const next = SecretBox.newKey()
    await (await open(folder, `${next},${KEY}`))[Symbol.asyncDispose]()
    await using backend = await open(folder, next)
    expect((await backend.deliveries.find(id))?.webhooks).toEqual(
      ROWS['pending, with an attempt']![1],
    )
  })
})

function keepOne(folder: TemporaryFolder, row: Row8) {
  using db = new Version8(folder, KEY)
  const event = acceptedEvent()
  return [event, db.delivery(event, row)] as const
}

/** The ids of the keys that URLs of lanes are sealed with. */
function sealedWith(folder: TemporaryFolder): string[] {
  using db = new DatabaseSync(join(folder.path, 'hookline.db'), { readOnly: true })
  const sealed = db.prepare('SELECT url FROM lanes').all()
  return [...new Set(sealed.map(({ url }) => SecretBox.keyIdOf(String(url))))]
}
