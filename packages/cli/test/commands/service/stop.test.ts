import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Hookline } from '@hookline/testing/cli/hookline'

const TOKEN = 'tok_stop_test'
const SHUTDOWN_TIMEOUT_MS = 1_000
/** The longest allowed setting. If the shutdown waits for this long, the test times out. */
const MAX_MS = 600_000

interface StartOptions {
  readonly timeoutMs?: number
  readonly nodeArgs?: readonly string[]
}

class StoppingService {
  readonly #dataDir: string

  constructor() {
    const folder = new TemporaryFolder()
    onTestFinished(() => folder[Symbol.dispose]())
    this.#dataDir = folder.path
  }

  async start({ timeoutMs = SHUTDOWN_TIMEOUT_MS, nodeArgs = [] }: StartOptions = {}) {
    const args = ['start', '--json', '--port', '0', '--data-dir', this.#dataDir]
    const settings = ['--attempt-timeout', '60000', '--allowed-networks', '127.0.0.0/8']
    settings.push('--request-timeout', String(MAX_MS))
    const limits = ['--shutdown-timeout', String(timeoutMs), '--max-concurrency-per-webhook', '3']
    const env = { HOOKLINE_ADMIN_TOKEN: TOKEN }
    const service = new Hookline([...args, ...settings, ...limits], { env, nodeArgs })
    const { url } = await service.document<{ url: string }>('ready')
    const { port } = new URL(url)
    return { service, url, port: Number(port), api: new ManagementApi(url, TOKEN) }
  }
}

/** Sends SIGTERM, and waits until the process exits without being killed. Resolves to how long that took. */
async function stop(service: Hookline): Promise<number> {
  const startedAt = performance.now()
  service.signal('SIGTERM')
  expect(await service.exit(), service.stderr).toBe(0)
  return performance.now() - startedAt
}

async function createPath(api: ManagementApi, urls: readonly string[]): Promise<string> {
  const source = await api.call<{ id: string; writeKeys: [{ key: string }] }>('POST', 'sources', {
    name: 'S',
  })
  for (const url of urls) {
    const settings = { webhooks: [{ url }] }
    const body = { sourceId: source.id, type: 'Webhooks', enabled: true, settings }
    await api.call('POST', 'destinations', body)
  }
  return source.writeKeys[0].key
}

async function send(url: string, writeKey: string, messageIds: readonly string[]): Promise<void> {
  const batch = messageIds.map((messageId) => ({ type: 'page', userId: 'u', messageId }))
  const response = await fetch(`${url}/v1/batch`, {
    method: 'POST',
    body: JSON.stringify({ writeKey, batch }),
  })
  expect(response.status).toBe(200)
}

const idsAt = ({ requests }: Receiver): string[] =>
  requests.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId)

async function writing(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test('stopping aborts attempts that take longer than shutdownTimeoutMs; the next start delivers every event, with the same attempt number', async () => {
  await using silent = await openReceiver({ respond: 'silence' })
  await using slow = await openReceiver({ respond: 'slow-headers' })
  const stopping = new StoppingService()
  const first = await stopping.start()
  await using service = first.service
  const writeKey = await createPath(first.api, [silent.url, slow.url])
  const sent = ['m-1', 'm-2', 'm-3', 'm-4', 'm-5']
  await send(first.url, writeKey, sent)
  await silent.waitFor(3)
  await slow.waitFor(3)
  await stop(service)
  expect(service.stderr).not.toMatch(/attempt\.failed|"level":(?:50|60)/)
  const aborted = { silent: idsAt(silent), slow: idsAt(slow) }

  silent.respond = slow.respond = () => 200
  const second = await stopping.start()
  await using restarted = second.service
  await silent.waitFor(8)
  await slow.waitFor(8)
  await expect
    .poll(() => second.api.call('GET', 'deliveries?state=delivered'))
    .toMatchObject({ data: Array.from({ length: 10 }, () => ({ attemptCount: 1 })) })
  await stop(restarted)
  expect(idsAt(silent).toSorted()).toEqual([...aborted.silent, ...sent].toSorted())
  expect(idsAt(slow).toSorted()).toEqual([...aborted.slow, ...sent].toSorted())
  const numbers = [...silent.requests, ...slow.requests].map(
    ({ headers }) => headers['x-hookline-attempt'],
  )
  expect(new Set(numbers)).toEqual(new Set(['1']))
})

test('stopping closes the connection of an incomplete request', async () => {
  const { service, port } = await new StoppingService().start()
  await using _service = service
  // The response to the first request proves that the second one has arrived as well.
  const complete = 'GET /livez HTTP/1.1\r\nHost: h\r\n\r\n'
  const incomplete = 'POST /v1/track HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{'
  const half = await writing(port, complete + incomplete)
  await once(half, 'data')
  const closed = new Promise((resolve) => half.once('close', resolve))
  expect(await stop(service)).toBeGreaterThan(SHUTDOWN_TIMEOUT_MS - 50)
  await closed
})

test('stopping does not wait for idle connections', async () => {
  const { service, port } = await new StoppingService().start({ timeoutMs: MAX_MS })
  await using _service = service
  const idle = await writing(port, 'GET /livez HTTP/1.1\r\nHost: h\r\n\r\n')
  await once(idle, 'data')
  await writing(port, '')
  await stop(service)
})

test('the process exits even if something else in it is still running', async () => {
  const program = `import { isMainThread } from 'node:worker_threads'
    if (isMainThread) setInterval(() => {}, 1e9)`
  const holding = `data:text/javascript,${encodeURIComponent(program)}`
  const { service } = await new StoppingService().start({ nodeArgs: ['--import', holding] })
  await using _service = service
  await stop(service)
})
