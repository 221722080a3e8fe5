import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import { columnsWith, messagesWith } from '@hookline/testing/cluster/stored-bytes'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { seededRandom } from '@hookline/testing/run/seeded-random'
import { callsTo, type Deletion, noticesAmong } from '@hookline/testing/deletions/deletion-calls'
import { Load } from '@hookline/testing/service/load'
import { isShortRun } from '@hookline/testing/run/case-count'
import { Cluster } from './cluster.ts'
import type { Node } from './node.ts'
import { SEED } from '@hookline/testing/run/seed'

const NODES = 3
/** Must be in no table, stream or file after the deletion, not even in its record. */
const PLANTED = 'PLANTED-VALUE'
/** May remain only in the records of the deletion. */
const USER = 'deleted-user-'
const USERS = Array.from({ length: 60 }, (_, index) => `${USER}${index}`)
const EVENTS_EACH = isShortRun() ? 10 : 20
const DELETIONS = 3
const MAX_UPTIME_MS = 1_500
/** Longer than a deletion takes, so that the node's in-memory events arrive late. */
const PAUSED_MS = 6_000
/** Time limits of a call, and of a call to a node that may be paused or killed. */
const LONG_TIMEOUT_MS = 30_000
const IMPATIENT_MS = 2_000
/** Longer than leases, claims and the log's ack wait. */
const DRAINED_MS = 180_000

/** Records of deletions and suppressions contain user ids. So do attempts of notices whose responses echo them. */
const RECORDS_WITH_USER_IDS = {
  deletion_ids: 'true',
  notices: 'true',
  purged_ids: 'true',
  suppressions: 'true',
  ...Object.fromEntries(
    ['attempts_default', ...dayNames('attempts')].map((table) => [
      table,
      'delivery_id IN (SELECT id FROM notices)',
    ]),
  ),
}

const PLANTED_COLUMNS = [
  'message_id',
  'anonymous_id',
  'body',
  'document',
  'event',
  'traits',
  'name',
  'search_text',
]

/** Partitions that this test may write to. */
function dayNames(table: string): string[] {
  const nameOf = (at: number) => new Date(at).toISOString().slice(0, 10).replaceAll('-', '')
  return [-1, 0, 1].map((days) => `${table}_${nameOf(Date.now() + days * 86_400_000)}`)
}

/** Calls from one user, with the planted value in every field to be removed. */
function callsOf(userId: string, random: () => number): object[] {
  const planted = {
    messageId: `${PLANTED}-${randomUUID()}`,
    anonymousId: `${PLANTED}-${userId}`,
    context: { page: { path: `/${PLANTED}` } },
  }
  const text = 'x'.repeat(random() * 600)
  return [
    {
      type: 'track',
      event: `${PLANTED}-${userId}`,
      userId,
      ...planted,
      properties: { text, it: PLANTED },
    },
    {
      type: 'identify',
      userId,
      anonymousId: planted.anonymousId,
      traits: { plan: 'pro', name: PLANTED },
    },
    { type: 'alias', userId: `other-${random()}`, previousId: userId },
  ]
}

/** Sends calls to a node that may be killed. Resolves to whether they were accepted. */
async function send(
  node: Node,
  writeKey: string,
  batch: readonly object[],
  timeoutMs = LONG_TIMEOUT_MS,
): Promise<boolean> {
  const headers = { authorization: `Basic ${btoa(`${writeKey}:`)}` }
  const body = JSON.stringify({ batch })
  const sent = fetch(`${node.url}/v1/batch`, { method: 'POST', headers, body })
  const signal = AbortSignal.timeout(timeoutMs)
  const timedOut = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined)),
  )
  return (await Promise.race([sent.catch(() => undefined), timedOut]))?.status === 200
}

/** A cluster with a source, an audience, and four destinations: enabled, disabled, paused, and one whose receiver is down. */
class Deleting implements AsyncDisposable {
  readonly cluster: Cluster
  readonly receiver: Receiver
  readonly random: () => number
  readonly writeKey: string
  readonly #destinations: Readonly<Record<string, string>>
  isDown = true

  private constructor(
    made: Pick<Deleting, 'cluster' | 'receiver' | 'random' | 'writeKey'>,
    destinations: Readonly<Record<string, string>>,
  ) {
    this.cluster = made.cluster
    this.receiver = made.receiver
    this.random = made.random
    this.writeKey = made.writeKey
    this.#destinations = destinations
    // Error responses echo the request, so that stored attempts contain user data too.
    made.receiver.respond = ({ path, body }) =>
      (path.endsWith('/down') && this.isDown) || made.random() < 0.1
        ? { status: 500, body: body.toString() }
        : 200
  }

  static async open(random: () => number): Promise<Deleting> {
    const receiver = await openReceiver()
    const cluster = await Cluster.open({ nodes: NODES, natsServers: 1 })
    const api = cluster.apiOf(cluster.nodes[0]!)
    const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
      name: 'S',
    })
    const make = async (path: string): Promise<readonly [string, string]> => {
      const settings = { webhooks: [{ url: `${receiver.url}/${path}` }] }
      const enabled = path !== 'off'
      const body = { sourceId: source.id, type: 'Webhooks', enabled, settings }
      return [path, (await api.call<{ id: string }>('POST', 'destinations', body)).id]
    }
    const destinations = Object.fromEntries([
      await make('on'),
      await make('off'),
      await make('paused'),
      await make('down'),
    ])
    await api.call('POST', `destinations/${destinations['paused']}/pause`)
    const condition = { trait: 'plan', op: 'equals', value: 'pro' }
    const destinationIds = [destinations['on']]
    await api.call('POST', 'audiences', { name: 'Pro', destinationIds, condition, enabled: true })
    const writeKey = source.writeKeys[0].key
    return new Deleting({ cluster, receiver, random, writeKey }, destinations)
  }

  get api() {
    return this.cluster.apiOf(this.cluster.nodes[0]!)
  }

  /** Replays the deliveries of the enabled destination. */
  async replay(text?: string): Promise<{ readonly id: string }> {
    const destinationId = this.#destinations['on']
    const states = ['delivered', 'rejected']
    return this.api.call('POST', 'replays', { destinationId, states, ...(text && { text }) })
  }

  resume(): Promise<unknown> {
    return this.api.call('POST', `destinations/${this.#destinations['paused']}/resume`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]()
    await this.receiver[Symbol.asyncDispose]()
  }
}

async function requestDeletions({ api }: Deleting): Promise<() => Promise<Deletion[]>> {
  const ids: string[] = []
  for (let part = 0; part < DELETIONS; part++) {
    const userIds = USERS.filter((_, index) => index % DELETIONS === part)
    const body = { userIds, suppress: true }
    ids.push((await api.call<Deletion>('POST', 'deletions', body)).id)
  }
  return () => Promise.all(ids.map((id) => api.call<Deletion>('GET', `deletions/${id}`)))
}

test.skipIf(clusterSkipReason() !== undefined)(
  "deletions on three nodes, killed and paused under load, remove every byte of the users' data, and send the right notices",
  async () => {
    const random = seededRandom(SEED)
    await using deleting = await Deleting.open(random)
    const { cluster, receiver, writeKey, api } = deleting
    const [first, paused, killed] = cluster.nodes as [Node, Node, Node]
    for (let round = 0; round < EVENTS_EACH; round++)
      for (const part of [0, 1, 2])
        expect(
          await send(
            cluster.nodes[part]!,
            writeKey,
            USERS.filter((_, index) => index % NODES === part).flatMap((userId) =>
              callsOf(userId, random),
            ),
          ),
        ).toBe(true)
    const { id: searched } = await deleting.replay(PLANTED)
    const replay = () => api.call<{ state: string }>('GET', `replays/${searched}`)
    await expect.poll(replay).toMatchObject({ state: 'finished' })
    await deleting.replay()
    const url = cluster.postgres.databaseUrls[0]!
    expect(await cluster.postgres.filesWith(PLANTED)).not.toEqual([])
    const columns = async (): Promise<Set<string>> => {
      const found = Object.keys(await columnsWith(url, PLANTED))
      return new Set(found.map((name) => name.split('.').at(-1)!))
    }
    // The catalog is written every few seconds.
    await expect.poll(columns).toEqual(new Set(PLANTED_COLUMNS))

    const stop = new AbortController()
    const load = new Load(random, { pauseMs: 1_000 })
    const sending = cluster.nodes.map((node) => load.run(node.url, writeKey, stop.signal))
    const ofUsers = async (node: Node): Promise<void> => {
      while (!stop.signal.aborted) {
        const userId = USERS[Math.floor(random() * USERS.length)]!
        await send(node, writeKey, callsOf(userId, random), IMPATIENT_MS)
        await sleep(100)
      }
    }
    sending.push(...cluster.nodes.map(ofUsers))
    await sleep(1_000)
    paused.signal('SIGSTOP')
    setTimeout(() => paused.signal('SIGCONT'), PAUSED_MS)
    const deletions = await requestDeletions(deleting)
    let kills = 0
    for (let isPurged = false; !isPurged; kills++) {
      await sleep(random() * MAX_UPTIME_MS)
      await killed.kill()
      killed.startAgain()
      await killed.ready()
      isPurged = (await deletions()).every(({ purgedAt }) => purgedAt !== null)
    }
    stop.abort()
    await Promise.all(sending)
    await deleting.resume()
    deleting.isDown = false
    const states = async () => new Set((await deletions()).map(({ state }) => state))
    await expect.poll(states, { timeout: DRAINED_MS, interval: 500 }).toEqual(new Set(['finished']))
    const lost = (): number => {
      const paths = ['on', 'paused', 'down'].map((path) => callsTo(receiver, path))
      const got = paths.map((calls) => new Set(calls.map(({ messageId }) => messageId)))
      return got.reduce((sum, each) => sum + load.accepted.difference(each).size, 0)
    }
    await expect.poll(lost, { timeout: DRAINED_MS, interval: 500 }).toBe(0)
    const inStream = () => messagesWith(cluster.nats.url, PLANTED)
    await expect
      .poll(inStream, { timeout: DRAINED_MS, interval: 500 })
      .toEqual({ all: 0, found: 0 })

    // A call from a suppressed user gets a 200 but is not stored.
    for (const node of cluster.nodes)
      expect(await send(node, writeKey, callsOf(USERS[0]!, random).slice(0, 2))).toBe(true)
    expect(await columnsWith(url, PLANTED)).toEqual({})
    expect(await columnsWith(url, USER, RECORDS_WITH_USER_IDS)).toEqual({})
    expect(await cluster.postgres.filesWith(PLANTED)).toEqual([])
    expect(filesWith(cluster.nats.folder, PLANTED)).toEqual([])

    const createdAt = (await deletions()).map((deletion) => deletion.createdAt)
    const payload = (user: string, index: number) =>
      `{"type":"delete","userId":"${user}","timestamp":"${createdAt[index % DELETIONS]}"}`
    const expected = USERS.map(payload).toSorted()
    const notices = ['on', 'off', 'paused', 'down'].map((path) =>
      noticesAmong(callsTo(receiver, path)),
    )
    expect(notices.map(({ texts }) => texts)).toEqual([expected, [], expected, expected])
    const requests = notices.reduce((sum, each) => sum + each.requests, 0)
    console.log(
      `seed ${SEED}: ${kills} kills, ${load.accepted.size} other calls answered 200, lost ${lost()}, ` +
        `${requests} requests for ${3 * USERS.length} notices`,
    )
    expect(kills).toBeGreaterThan(0)
    expect(load.accepted.size).toBeGreaterThan(100)
    expect(first.stderr).not.toContain(PLANTED)
  },
)
