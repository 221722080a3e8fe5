import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TokenEndpoint } from '@hookline/testing/auth/token-endpoint'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const { ca, good, expired, clients } = makeCertificates()

interface Shown {
  readonly settings: { readonly webhooks: readonly { readonly auth?: object }[] }
  readonly warnings?: readonly { readonly pointer: string; readonly code: string }[]
  readonly health: { readonly webhooks: readonly { readonly breaker: string }[] }
}

const shown = ({ api }: RunningService, id: string) => api.call<Shown>('GET', `destinations/${id}`)

const SET = { set: true }

test('basic and bearer credentials reach their receivers, and are hidden in test deliveries and in exports without secrets', async () => {
  const wanted = [`Basic ${btoa('someone:a-password')}`, 'Bearer a-bearer-token']
  await using receiver = await openReceiver({
    respond: ({ path, headers }) =>
      headers.authorization === wanted[Number(path.slice(-1))] ? 200 : 401,
  })
  await using service = await startService()
  const webhooks = [
    { url: `${receiver.url}/0`, auth: { basic: { user: 'someone', password: 'a-password' } } },
    { url: `${receiver.url}/1`, auth: { bearer: 'a-bearer-token' } },
  ]
  const id = await service.createDestination({ webhooks, policy: 'each', secret: 's3cret' })
  await service.track('m-1')
  expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
  expect((await shown(service, id)).settings.webhooks).toMatchObject([
    { auth: { basic: { user: 'someone', password: SET } } },
    { auth: { bearer: SET } },
  ])

  const dryRun = await service.api.call<{ webhooks: { request: { headers: object } }[] }>(
    'POST',
    `destinations/${id}/test`,
    { type: 'track', dryRun: true },
  )
  for (const { request } of dryRun.webhooks)
    expect(request.headers).toMatchObject({ Authorization: '[hidden]' })
  expect(
    await service.api.call('POST', `destinations/${id}/test`, { type: 'track' }),
  ).toMatchObject({
    webhooks: [{ attempt: { class: 'delivered' } }, { attempt: { class: 'delivered' } }],
  })

  const exported = await service.api.call<object>('GET', 'export')
  const complete = await service.api.call<object>('GET', 'export?withSecrets=true')
  expect(JSON.stringify(exported)).not.toMatch(/a-password|a-bearer-token/)
  expect(JSON.stringify(complete)).toContain('a-password')
  for (const document of [exported, complete])
    expect(await service.api.call('PUT', 'import', document)).toMatchObject({ changed: [] })
  await service.restart()
  await service.track('m-2')
  expect((await service.endOf('m-2')).deliveries).toMatchObject([{ state: 'delivered' }])
})

test.for(['client_secret_basic', 'client_secret_post'] as const)(
  'an access token of a real authorization server is cached, and renewed after a 401: %s',
  async (method) => {
    await using endpoint = await TokenEndpoint.open({ clientSecret: 'a client secret/', method })
    await using receiver = await openReceiver({
      respond: async ({ headers }) => ((await endpoint.isValid(headers.authorization)) ? 200 : 401),
    })
    await using service = await startService()
    const webhooks = [{ url: receiver.url, auth: { oauth2: endpoint.oauth2 } }]
    await service.createDestination({ webhooks, secret: 's3cret' })
    for (let n = 0; n < 20; n++) await service.track(`m-${n}`)
    for (let n = 0; n < 20; n++)
      expect((await service.endOf(`m-${n}`)).deliveries).toMatchObject([{ state: 'delivered' }])
    expect(endpoint.issued).toBe(1)

    endpoint.revokeAll()
    await service.track('m-20')
    const [delivery] = (await service.endOf('m-20')).deliveries
    expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ number: 1, status: 200 }] })
    expect(endpoint.issued).toBe(2)
    const requests = receiver.requests.slice(-2).map(({ headers }) => headers['webhook-id'])
    expect(new Set(requests).size).toBe(1)
  },
)

test('if the token endpoint refuses the client, the attempt is auth_failed and retried until the credentials are corrected', async () => {
  await using endpoint = await TokenEndpoint.open({ clientSecret: 'the-right-secret' })
  await using receiver = await openReceiver({
    respond: async ({ headers }) => ((await endpoint.isValid(headers.authorization)) ? 200 : 401),
  })
  await using service = await startService()
  const { oauth2 } = endpoint
  const wrong = { ...oauth2, clientSecret: 'the-wrong-secret' }
  const webhooks = [{ url: receiver.url, auth: { oauth2: wrong } }]
  const id = await service.createDestination({ webhooks, secret: 's3cret' })
  for (let n = 0; n < 12; n++) await service.track(`m-${n}`)
  const attempt = await service.eventually(async () => {
    const [delivery] = (await service.trace('m-0')).deliveries
    expect(delivery?.attempts[0]).toBeDefined()
    return delivery!.attempts[0]!
  })
  expect(attempt).toMatchObject({ class: 'auth_failed', outcome: 'retry' })
  expect(attempt.error).toMatch(/^The token endpoint responded with 401 \(invalid_client: /)
  expect(attempt).not.toHaveProperty('status')
  expect(receiver.connections).toBe(0)

  const corrected = { settings: { webhooks: [{ url: receiver.url, auth: { oauth2 } }] } }
  await service.api.call('PATCH', `destinations/${id}`, corrected)
  for (let n = 0; n < 12; n++)
    expect((await service.endOf(`m-${n}`)).deliveries).toMatchObject([{ state: 'delivered' }])
  expect(endpoint.issued).toBe(1)
})

test('a receiver gets the client certificate of its webhook, and a warning is shown before it expires', async () => {
  using folder = new TemporaryFolder()
  const tlsCaFile = join(folder.path, 'ca.pem')
  writeFileSync(tlsCaFile, ca)
  await using receiver = await openReceiver({ tls: good, clientCa: ca })
  await using service = await startService({ settings: { tlsCaFile } })
  const [{ cert: certificate, key }] = clients
  const webhook = { url: receiver.url, auth: { clientCertificate: { certificate, key } } }
  const id = await service.createDestination({ webhooks: [webhook] })
  await service.track('m-1')
  expect((await service.endOf('m-1')).deliveries).toMatchObject([{ state: 'delivered' }])
  expect(receiver.requests[0]!.client).toBe('client-a')
  expect((await shown(service, id)).warnings).toBeUndefined()

  for (const [pair, code] of [
    [good, 'certificate_expires'],
    [expired, 'certificate_expired'],
  ] as const) {
    const auth = { clientCertificate: { certificate: pair.cert, key: pair.key } }
    const change = { settings: { webhooks: [{ url: receiver.url, auth }] } }
    const pointer = '/settings/webhooks/0/auth/clientCertificate/certificate'
    const warnings = [{ pointer, code }]
    expect(await service.api.call('PATCH', `destinations/${id}`, change)).toMatchObject({
      warnings,
    })
    expect(await shown(service, id)).toMatchObject({ warnings })
  }
})

test('a token endpoint at a forbidden address causes a warning and no request', async () => {
  await using endpoint = await TokenEndpoint.open({ clientSecret: 'a-secret' })
  await using service = await startService({ settings: { allowedNetworks: '127.0.0.2/32' } })
  const auth = { oauth2: endpoint.oauth2 }
  const id = await service.createDestination({
    webhooks: [{ url: 'http://127.0.0.2:8080/', auth }],
    enabled: false,
  })
  expect((await shown(service, id)).warnings).toMatchObject([
    { pointer: '/settings/webhooks/0/auth/oauth2/tokenUrl', code: 'address_forbidden' },
  ])
  const tested = await service.api.call('POST', `destinations/${id}/test`, { type: 'track' })
  expect(tested).toMatchObject({
    webhooks: [{ attempt: { class: 'auth_failed', error: expect.stringContaining('127.0.0.1') } }],
  })
  expect(endpoint.requests).toBe(0)
})
