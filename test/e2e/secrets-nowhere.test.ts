import { createLogger, openService, parseConfig } from '@hookline/server'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReceiver } from '../../packages/server/test/harness/receiver.ts'
import { TemporaryFolder } from '../../packages/server/test/harness/temporary-folder.ts'
import { exchange, type ReceivedAnswer } from '../harness/http-exchange.ts'

const ADMIN_TOKEN = 'tok_planted-admin-token'
const SHARED_SECRET = 'planted-shared-secret'
const HEADER_VALUE = 'planted-header-value'

/** Everything that the service says, to its log and in its answers, each with where it was said. */
class Said {
  readonly logged: string[] = []
  readonly #answers: (readonly [where: string, text: string])[] = []

  add(where: string, { text, headers }: ReceivedAnswer): void {
    this.#answers.push([where, `${JSON.stringify(headers)}\n${text}`])
  }

  /** Where this was said. */
  placesOf(secret: string): string[] {
    const all = [...this.#answers, ...this.logged.map((line) => [`log: ${line}`, line] as const)]
    return all.filter(([, text]) => text.includes(secret)).map(([where]) => where)
  }

  get size(): number {
    return this.#answers.length + this.logged.length
  }
}

test('no secret is in a log line, an answer, a metric, the audit log, the history or the database', async () => {
  using folder = new TemporaryFolder()
  // It answers an error that repeats what it got, as a badly made receiver does.
  await using receiver = await openReceiver({
    respond: ({ headers, body }) => ({
      status: 500,
      body: `${JSON.stringify(headers)} ${body.toString()}`,
    }),
  })
  const said = new Said()
  const logger = createLogger('trace', { write: (line) => void said.logged.push(line) })
  const config = parseConfig(
    {},
    { dataDir: folder.path, port: '0', adminToken: ADMIN_TOKEN, allowedNetworks: '127.0.0.0/8' },
  )
  await using service = await openService({ config, logger })

  async function call(method: string, path: string, body?: unknown, token = ADMIN_TOKEN) {
    const answer = await exchange(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return answer
  }
  /** What is answered is searched, but for what shows a secret on purpose: made once, or asked for. */
  async function ask(method: string, path: string, body?: unknown, token?: string) {
    const answer = await call(method, path, body, token)
    said.add(`${method} ${path}`, answer)
    return answer
  }

  const made = JSON.parse((await call('POST', '/sources', { name: 'Shop' })).text) as {
    id: string
    writeKeys: { key: string }[]
  }
  const writeKey = made.writeKeys[0]!.key
  const { token } = JSON.parse(
    (await call('POST', '/tokens', { name: 'ci', role: 'admin' })).text,
  ) as { token: string }
  const webhooks = [{ url: receiver.url, headers: { 'x-key': HEADER_VALUE } }]
  const settings = { sharedSecret: SHARED_SECRET, webhooks }
  const destination = { sourceId: made.id, type: 'Webhooks', enabled: true, settings }
  const { id } = JSON.parse((await ask('POST', '/destinations', destination)).text) as {
    id: string
  }

  // Where they do not belong: unknown fields, wrong types, names, headers, paths.
  const misplaced = { [SHARED_SECRET]: HEADER_VALUE, token, writeKey, secret: SHARED_SECRET }
  for (const [method, path] of [
    ['POST', '/sources'],
    ['POST', '/destinations'],
    ['PATCH', `/destinations/${id}`],
    ['POST', '/tokens'],
    ['PUT', '/import'],
  ] as const) {
    const answer = await call(method, path, { ...misplaced, enabled: SHARED_SECRET })
    // The name of an unknown field is told; its value never.
    said.add(`${method} ${path}`, {
      ...answer,
      text: answer.text.replaceAll(`/${SHARED_SECRET}`, ''),
    })
  }
  const broken = {
    settings: {
      sharedSecret: [SHARED_SECRET],
      webhooks: [{ url: 7, headers: { a: [HEADER_VALUE] } }],
    },
  }
  await ask('PATCH', `/destinations/${id}`, broken)
  await ask('GET', '/sources', undefined, `${token}x`)
  await ask('PATCH', `/destinations/${id}`, { name: 'CRM' })

  for (const headers of [{ Authorization: `Basic ${btoa(`${writeKey}x:`)}` }, basic(writeKey)]) {
    const body = JSON.stringify({ type: 'track', event: 'Order Completed', userId: 'u1' })
    said.add('POST /v1/track', await exchange(`${service.url}/v1/track`, { headers, body }))
  }
  await expect
    .poll(async () => (await call('GET', '/deliveries/failures')).text, { timeout: 10_000 })
    .toContain('http_5xx')

  const [event] = (JSON.parse((await call('GET', '/events')).text) as { data: { id: string }[] })
    .data
  for (const path of [
    '/destinations',
    `/destinations/${id}`,
    '/events',
    `/events/${event!.id}`,
    '/deliveries',
    '/deliveries/failures',
    '/tokens',
    '/audit',
    '/stats',
    '/export',
    '/openapi.json',
  ]) {
    const { status } = await ask('GET', path)
    expect([path, status]).toEqual([path, 200])
  }
  said.add('metrics', await exchange(`${service.url}/metrics`, { method: 'GET' }))

  expect(said.size).toBeGreaterThan(20)
  for (const secret of [SHARED_SECRET, HEADER_VALUE, token, writeKey, ADMIN_TOKEN]) {
    expect([secret, said.placesOf(secret)]).toEqual([secret, []])
  }
  // A search that finds nothing must be able to find something.
  expect(said.placesOf(made.id)).not.toEqual([])

  for (const name of readdirSync(folder.path)) {
    const bytes = readFileSync(join(folder.path, name)).toString('latin1')
    for (const secret of [SHARED_SECRET, HEADER_VALUE, token]) {
      expect([name, secret, bytes.includes(secret)]).toEqual([name, secret, false])
    }
  }
})

function basic(writeKey: string): { Authorization: string } {
  return { Authorization: `Basic ${btoa(`${writeKey}:`)}` }
}
