import { newId } from '@hookline/protocol'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createLogger, openService, parseConfig, type Service } from '../../../src/index.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { countNames } from '../conformance/planted-names.ts'

export const ADMIN_TOKEN = 'tok_of_the_moved_service'
/** Ids that PostgreSQL can store only with escapes. Earlier versions accepted the one with a NUL. */
export const ODD_IDS = { sent: 'odd\uf8ff0id', stored: 'odd\u0000\uf8ff0id' }
/** Text that changes if the cluster escapes or unescapes U+0000 only in one direction. */
const ESCAPED_ONCE = '\uf8ff0 \uf8ff1'
export const MAX_WAITING_BYTES = 1024 * 1024

/** Number of users with calls before the service was stopped. */
const USERS = 12

export interface Source {
  readonly id: string
  readonly writeKey: string
}

/** The data folder of a used and stopped service, with every kind of data that a service stores. */
export interface FilledFolder extends AsyncDisposable {
  readonly dataDir: string
  readonly source: Source
  /** Accepts everything. */
  readonly good: Receiver
  /** Has responded with 500 to its waiting deliveries. */
  readonly failing: Receiver
  readonly destinations: {
    readonly good: string
    readonly failing: string
    readonly paused: string
  }
  readonly audienceId: string
  /** Events that no consumer has read from the log. */
  readonly appended: readonly string[]
  /** The number of events with stored deliveries, but no ack. */
  readonly unacked: number
  readonly deletionId: string
}

/** Uses a service over HTTP, stops it, and adds unfinished work as if it had been killed. */
export async function fillFolder({ more = 0 } = {}): Promise<FilledFolder> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(new TemporaryFolder())
  const [good, failing] = [stack.use(await openReceiver()), stack.use(await openReceiver())]
  const refusing = stack.use(await openReceiver({ respond: 400 }))
  failing.respond = () => ({ status: 500, body: 'no\u0000 way' })
  const dataDir = join(folder.path, 'data')
  const used = await useService(dataDir, { good, failing, refusing, more })
  const kept = await appendUndecided(dataDir, used.source.id)
  const open = stack.move()
  return {
    dataDir,
    good,
    failing,
    ...used,
    ...kept,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function openServiceAt(settings: Readonly<Record<string, string>>): Promise<Service> {
  const config = parseConfig({
    HOOKLINE_PORT: '0',
    HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
    HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
    HOOKLINE_RETRY_SCHEDULE: '500ms',
    ...settings,
  })
  return openService({ config, logger: createLogger('silent') })
}

/** Sends calls in one request and expects a 200. */
export async function sendCalls(url: string, { writeKey }: Source, batch: object[]): Promise<void> {
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ writeKey, batch }),
  })
  expect([response.status, await response.text()]).toEqual([200, '{"success":true}'])
}

export const order = (userId: string, messageId: string) => ({
  type: 'track',
  event: 'Order Completed',
  userId,
  messageId,
  properties: { revenue: 10 },
})

interface FoundProfiles {
  /** Absent once the index is complete. */
  readonly indexed?: number
}

async function useService(
  dataDir: string,
  {
    good,
    failing,
    refusing,
    more,
  }: Record<'good' | 'failing' | 'refusing', Receiver> & { more: number },
) {
  await using service = await openServiceAt({ HOOKLINE_DATA_DIR: dataDir })
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const shop = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: `Shop ${ESCAPED_ONCE}`,
  })
  const source = { id: shop.id, writeKey: shop.writeKeys[0].key }
  const destination = async (url: string, enabled = true): Promise<string> => {
    const settings = { webhooks: [{ url }], sharedSecret: 'a shared secret' }
    const body = { sourceId: source.id, type: 'Webhooks', name: url, enabled, settings }
    return (await api.call<{ id: string }>('POST', 'destinations', body)).id
  }
  const destinations = {
    good: await destination(good.url),
    failing: await destination(failing.url),
    refusing: await destination(refusing.url),
    disabled: await destination(good.url, false),
    paused: await destination(`${good.url}?paused`),
  }
  await api.call('POST', `destinations/${destinations.paused}/pause`)
  await api.call('POST', 'tokens', { name: 'ci', role: 'viewer' })
  const condition = { event: 'Order Completed' }
  const destinationIds = [destinations.good]
  const audience = await api.call<{ id: string }>('POST', 'audiences', {
    name: `Buyers ${ESCAPED_ONCE}`,
    destinationIds,
    condition,
  })
  const list = await api.call<{ id: string }>('POST', 'audiences', {
    name: 'List',
    destinationIds,
    manual: true,
  })
  await api.call('POST', 'traits', {
    name: 'Spent',
    destinationIds,
    compute: { fn: 'sum', event: 'Order Completed', property: 'revenue' },
  })
  await api.call('PUT', `audiences/${list.id}/members`, { add: ['u1', 'nobody'] })
  const users = [...Array.from({ length: USERS }, (_, index) => `u${index}`), ODD_IDS.sent]
  await sendCalls(service.url, source, [
    ...users.map((userId) => order(userId, `first ${userId}`)),
    {
      type: 'identify',
      userId: 'u1',
      traits: { plan: 'pro', note: `a\u0000b ${ESCAPED_ONCE}` },
      messageId: 'm1',
    },
    { type: 'alias', userId: 'u2', previousId: 'visitor', messageId: 'm2' },
    { type: 'page', anonymousId: 'visitor', name: 'Home', messageId: 'm3' },
    order('gone', 'of the deleted user'),
  ])
  // Send duplicates.
  await sendCalls(service.url, source, [order('u1', 'first u1'), order('u2', 'first u2')])
  for (let sent = 0; sent < more; sent += 500)
    await sendCalls(
      service.url,
      source,
      Array.from({ length: Math.min(500, more - sent) }, (_, index) =>
        order(`u${index % USERS}`, `more ${sent + index}`),
      ),
    )
  await expect
    .poll(
      async () =>
        (await api.call<{ data: unknown[] }>('GET', `audiences/${audience.id}/members?limit=200`))
          .data.length,
    )
    .toBe(USERS + 2)
  await expect.poll(() => failing.requests.length).toBeGreaterThan(USERS)
  const deletion = await api.call<{ id: string }>('POST', 'deletions', {
    userIds: ['gone'],
    suppress: true,
  })
  await expect
    .poll(() => good.requests.filter(({ body }) => body.includes('"delete"')).length)
    .toBeGreaterThan(0)
  await api.call('GET', `deletions/${deletion.id}?format=receipt`)
  await api.call('POST', 'deletions', { userIds: ['back'], suppress: true })
  await expect
    .poll(async () => (await api.call<{ data: unknown[] }>('GET', 'suppressions')).data.length)
    .toBe(2)
  await api.call('DELETE', 'suppressions/back')
  // The first search by a trait creates its index.
  await expect
    .poll(
      async () =>
        (await api.call<FoundProfiles>('GET', 'profiles?trait.plan=pro')).indexed ?? 'all',
    )
    .toBe('all')
  // Send a suppressed call.
  await sendCalls(service.url, source, [order('gone', 'too late')])
  const replay = await api.call<{ id: string }>('POST', 'replays', {
    destinationId: destinations.refusing,
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date().toISOString(),
    states: ['rejected'],
    text: 'first u3',
  })
  await expect
    .poll(() => api.call<object>('GET', `replays/${replay.id}`))
    .toMatchObject({ state: 'finished', failed: 1 })
  return { source, destinations, audienceId: audience.id, deletionId: deletion.id }
}

async function appendUndecided(dataDir: string, sourceId: string) {
  const events = ['u1', 'u5', ODD_IDS.stored].map((userId, index) =>
    acceptedEvent({
      at: Date.now(),
      id: newId('evt', Date.now()),
      sourceId,
      userId,
      messageId: `undecided ${index}`,
    }),
  )
  {
    await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: MAX_WAITING_BYTES })
    await backend.log.append(events)
    await countNames(backend, events)
    await backend.alertStates.put(new Map([['last_backup', '1']]))
  }
  let unacked = 0
  editDatabase(dataDir, (db) => {
    // May differ from 9: duplicates have a number as well, and the service may have stopped before its last ack.
    const since = 'SELECT COUNT(*) AS count FROM events, log_position WHERE seq > acked - 9'
    unacked = Number(db.prepare(since).get()!['count']) - events.length
    db.exec('UPDATE log_position SET acked = acked - 9')
    db.exec(
      `INSERT INTO quarantine (id, reason, at) SELECT id, 'A bug.', 1 FROM deliveries WHERE state = 'rejected' LIMIT 1`,
    )
  })
  return { appended: events.map(({ id }) => id), unacked }
}

/** Changes the database of a stopped service. */
export function editDatabase(dataDir: string, edit: (db: DatabaseSync) => void): void {
  using db = new DatabaseSync(join(dataDir, 'hookline.db'))
  edit(db)
}
