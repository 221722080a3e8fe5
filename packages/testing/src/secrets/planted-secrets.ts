import { newPrivateKey } from '@hookline/protocol/ed25519'
import type { Service } from '@hookline/server'
import { expect } from 'vitest'
import type { Proxy } from '../network/proxy.ts'
import { openReceiver, type Receiver } from '../receiver/receiver.ts'
import { makeCertificates } from '../network/certificates.ts'
import { exchange } from '../network/http-exchange.ts'
import type { Output } from './output.ts'

const ADMIN_TOKEN = 'tok_planted-admin-token'
const SHARED_SECRET = 'planted-shared-secret'
const NEXT_SECRET = 'planted-next-secret'
const OWN_SECRET = 'planted-secret-of-a-webhook'
const NEXT_OWN_SECRET = 'planted-next-secret-of-a-webhook'
const PRIVATE_KEY = newPrivateKey()
const HEADER_VALUE = 'planted-header-value'
/** The path of a URL is often a credential. The API shows it, but it is stored only encrypted. */
const URL_PATH = 'planted-url-path'
const NEXT_URL_PATH = 'planted-next-url-path'
const SALT = 'planted-salt-of-fields'
const BASIC_PASSWORD = 'planted-basic-password'
const BEARER = 'planted-bearer'
const CLIENT_SECRET = 'planted-client-secret'
const ACCESS_TOKEN = 'planted-access-token'
const CLIENT = makeCertificates().clients[0]
const PROXY_PASSWORD = 'planted-proxy-password'

/** The secrets that a test plants. */
export interface PlantedSecrets {
  readonly writeKey: string
  /** Must not occur in any output. */
  readonly secrets: readonly string[]
  /** Must not be stored in plain text. */
  readonly notStored: readonly string[]
  /** Occurs in the output, and is stored. */
  readonly sourceId: string
}

/** Responds with an error that repeats the request, as a poorly written receiver might. `/token` returns a token. */
export function openRepeatingReceiver(): Promise<Receiver> {
  return openReceiver({
    respond: ({ path, headers, body }) => {
      if (path === '/token') return { body: JSON.stringify({ access_token: ACCESS_TOKEN }) }
      const repeated = `${JSON.stringify(headers)} ${body.toString()}`
      if (path === '/refused')
        return {
          status: 400,
          body: JSON.stringify({ error: repeated, access_token: ACCESS_TOKEN }),
        }
      return { status: 500, body: `${repeated} ${headers.authorization?.split(' ')[1]}` }
    },
  })
}

/** A webhook with each kind of authentication, and one whose token endpoint repeats the credentials in its error. */
function plantedWebhooks({ url, port }: Receiver) {
  const origin = `http://127.0.0.1:${port}`
  const oauth2 = (path: string) => ({
    oauth2: { tokenUrl: origin + path, clientId: 'hookline', clientSecret: CLIENT_SECRET },
  })
  return [
    {
      url: `${url}/${URL_PATH}`,
      headers: { 'x-key': HEADER_VALUE },
      auth: { basic: { user: 'hookline', password: BASIC_PASSWORD } },
    },
    { url: `${url}/bearer`, auth: { bearer: BEARER } },
    { url: `${url}/oauth2`, auth: oauth2('/token') },
    { url: `${url}/oauth2-refused`, auth: oauth2('/refused') },
    {
      url: `https://127.0.0.1:${port}/certificate`,
      auth: { clientCertificate: { certificate: CLIENT.cert, key: CLIENT.key } },
    },
  ]
}

/** The settings of a service with planted secrets. */
export function plantedSettings(proxy: Proxy) {
  return {
    port: '0',
    adminToken: ADMIN_TOKEN,
    allowedNetworks: '127.0.0.0/8',
    egressProxy: proxy.url(`user:${PROXY_PASSWORD}`),
  }
}

interface Planting {
  readonly service: Service
  readonly receiver: Receiver
  /** Refuses every connection. */
  readonly proxy: Proxy
  readonly output: Output
}

/** Calls a route of the management API. */
export function callApi(
  { url }: Service,
  method: string,
  path: string,
  { body, token = ADMIN_TOKEN }: { readonly body?: unknown; readonly token?: string } = {},
) {
  return exchange(`${url}/api/v1${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** Uses every part of a service with secrets in the right and in wrong places, and collects its output. */
export async function plantSecrets({
  service,
  receiver,
  proxy,
  output,
}: Planting): Promise<PlantedSecrets> {
  const call = (method: string, path: string, body?: unknown, token?: string) =>
    callApi(service, method, path, { body, ...(token && { token }) })
  /** Calls the API and searches the response. Requests whose response intentionally contains a secret use `call`. */
  async function callAndSearch(method: string, path: string, body?: unknown, token?: string) {
    const response = await call(method, path, body, token)
    output.add(`${method} ${path}`, response)
    return response
  }

  const fields = { hash: [{ path: 'context.none' }], salt: SALT }
  // The response contains the write key intentionally.
  const created = await call('POST', '/sources', { name: 'Shop', fields })
  expect(created.text).not.toContain(SALT)
  const source = JSON.parse(created.text) as { id: string; writeKeys: { key: string }[] }
  const writeKey = source.writeKeys[0]!.key
  const { token } = JSON.parse(
    (await call('POST', '/tokens', { name: 'ci', role: 'admin' })).text,
  ) as { token: string }
  const webhooks = plantedWebhooks(receiver)
  const signingKeys = [{ privateKey: PRIVATE_KEY }]
  const signed = { sharedSecret: SHARED_SECRET, signature: 'both', signingKeys }
  const settings = { ...signed, webhooks, fields }
  const destination = { sourceId: source.id, type: 'Webhooks', enabled: true, settings }
  const { id } = JSON.parse((await callAndSearch('POST', '/destinations', destination)).text) as {
    id: string
  }

  const live = new AbortController()
  const watching = listen(`${service.url}/api/v1/live`, live.signal)
  const exported = (await call('GET', '/export?withSecrets=true')).text
  for (const secret of [SHARED_SECRET, PRIVATE_KEY]) expect(exported).toContain(secret)
  await callAndSearch('PUT', '/import', JSON.parse(exported))
  const trial = await callAndSearch('POST', `/destinations/${id}/test`, { type: 'track' })
  expect([trial.status, trial.text.includes('x-key')]).toEqual([200, true])
  expect(trial.text).toContain('proxy_failed')
  proxy.behaviour = 'connect'
  await callAndSearch('POST', `/destinations/${id}/rotate-secret`, {
    secret: NEXT_SECRET,
    overlapHours: 1,
  })

  // Secrets in wrong places: unknown fields, wrong types, names, headers, paths.
  const misplaced = { [SHARED_SECRET]: HEADER_VALUE, token, writeKey, secret: SHARED_SECRET }
  for (const [method, path] of [
    ['POST', '/sources'],
    ['POST', '/destinations'],
    ['PATCH', `/destinations/${id}`],
    ['POST', '/tokens'],
    ['PUT', '/import'],
  ] as const) {
    const response = await call(method, path, { ...misplaced, enabled: SHARED_SECRET })
    // The response quotes the name of an unknown field, but never its value.
    output.add(`${method} ${path}`, {
      ...response,
      text: response.text.replaceAll(`/${SHARED_SECRET}`, ''),
    })
  }
  const broken = {
    settings: {
      sharedSecret: [SHARED_SECRET],
      webhooks: [
        {
          url: 7,
          headers: { a: [HEADER_VALUE] },
          auth: { bearer: [BEARER] },
          secret: [OWN_SECRET],
        },
        { url: receiver.url, auth: { basic: { user: `${BASIC_PASSWORD}:`, password: 7 } } },
        {
          url: receiver.url,
          auth: { oauth2: { tokenUrl: CLIENT_SECRET, clientSecret: [CLIENT_SECRET] } },
        },
        { url: receiver.url, auth: { clientCertificate: { certificate: CLIENT.key } } },
      ],
      signingKeys: [{ privateKey: `${PRIVATE_KEY}x`, signsFrom: PRIVATE_KEY }],
    },
  }
  await callAndSearch('PATCH', `/destinations/${id}`, broken)
  await callAndSearch('GET', '/sources', undefined, `${token}x`)
  await callAndSearch('PATCH', `/destinations/${id}`, { name: 'CRM' })
  const own = { ...webhooks[1]!, secret: OWN_SECRET }
  const moved = { ...webhooks[0], url: `${receiver.url}/${NEXT_URL_PATH}` }
  const next = [moved, own, ...webhooks.slice(2)]
  await callAndSearch('PATCH', `/destinations/${id}`, { settings: { webhooks: next } })
  const rotation = { url: own.url, secret: NEXT_OWN_SECRET }
  await callAndSearch('POST', `/destinations/${id}/rotate-secret`, rotation)
  await callAndSearch('POST', `/destinations/${id}/rotate-signing-key`, {})
  const keys = await fetch(`${service.url}/.well-known/hookline/keys/${id}`)
  output.add('public keys', { status: keys.status, headers: {}, text: await keys.text() })
  expect(keys.status).toBe(200)

  for (const headers of [{ Authorization: `Basic ${btoa(`${writeKey}x:`)}` }, basic(writeKey)]) {
    const body = JSON.stringify({ type: 'track', event: 'Order Completed', userId: 'u1' })
    output.add('POST /v1/track', await exchange(`${service.url}/v1/track`, { headers, body }))
  }
  const inBody = JSON.stringify({ writeKey, type: 'page', name: 'Home', userId: 'u1' })
  output.add('POST /v1/page', await exchange(`${service.url}/v1/page`, { body: inBody }))
  const batch = JSON.stringify({ writeKey, batch: [{ type: 'page', userId: 'u1', writeKey }] })
  output.add('POST /v1/batch', await exchange(`${service.url}/v1/batch`, { body: batch }))
  await expect
    .poll(async () => (await call('GET', '/deliveries/failures')).text)
    .toMatch(/http_5xx[^]*auth_failed|auth_failed[^]*http_5xx/)
  const deliveries = async () =>
    (JSON.parse((await call('GET', '/deliveries')).text) as { data: { id: string }[] }).data
  await expect.poll(deliveries).toHaveLength(3)

  const { data: events } = JSON.parse((await call('GET', '/events')).text) as {
    data: { id: string }[]
  }
  for (const path of [
    '/destinations',
    `/destinations/${id}`,
    '/events',
    ...events.map((each) => `/events/${each.id}`),
    '/deliveries',
    ...(await deliveries()).map((each) => `/deliveries/${each.id}`),
    '/deliveries/failures',
    '/tokens',
    '/audit',
    '/stats',
    '/export',
    '/openapi.json',
  ]) {
    const { status } = await callAndSearch('GET', path)
    expect([path, status]).toEqual([path, 200])
  }
  live.abort()
  output.add('GET /live', { status: 200, headers: {}, text: await watching })
  expect(await watching).toContain('event: attempt')
  output.add('metrics', await exchange(`${service.url}/metrics`, { method: 'GET' }))
  expect(receiver.requests.map((each) => each.headers.authorization)).toContain(
    `Bearer ${ACCESS_TOKEN}`,
  )
  const proxySecrets = [PROXY_PASSWORD, btoa(`user:${PROXY_PASSWORD}`)]
  const credentials = [BASIC_PASSWORD, CLIENT_SECRET].map((each) => btoa(`hookline:${each}`))
  const keyLine = CLIENT.key.split('\n')[1]!
  const auth = [BASIC_PASSWORD, BEARER, CLIENT_SECRET, ACCESS_TOKEN, ...credentials, keyLine]
  const signers = [SHARED_SECRET, NEXT_SECRET, OWN_SECRET, NEXT_OWN_SECRET, PRIVATE_KEY]
  const planted = [...signers, HEADER_VALUE, SALT, ...auth, ...proxySecrets]
  const secrets = [...planted, token, ADMIN_TOKEN]
  const notStored = [...secrets, URL_PATH, NEXT_URL_PATH]
  return { writeKey, secrets, notStored, sourceId: source.id }
}

/** Reads a stream until it is aborted. */
async function listen(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${ADMIN_TOKEN}` }, signal })
  let text = ''
  try {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString()
  } catch {
    // Aborted.
  }
  return text
}

function basic(writeKey: string): { Authorization: string } {
  return { Authorization: `Basic ${btoa(`${writeKey}:`)}` }
}
