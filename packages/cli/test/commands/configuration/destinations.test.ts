import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf } from '@hookline/testing/cli/hookline'
import { makeCertificates } from '@hookline/testing/network/certificates'

describe('hookline destinations', () => {
  let service: ApiService
  let source: string
  beforeAll(async () => {
    service = await ApiService.start()
    source = (await service.json<{ id: string }>('sources', 'create', 'Shop')).id
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('creates, shows, updates, enables and deletes a destination without showing its secrets', async () => {
    using folder = new TemporaryFolder()
    const secretFile = join(folder.path, 'secret')
    writeFileSync(secretFile, 'a shared secret\n')
    const created = await service.json<{ id: string }>(
      'destinations',
      'create',
      '--source',
      source,
      '--name',
      'CRM',
      '--webhook',
      'https://example.com/a',
      '--header',
      'x-key: geheim',
      '--webhook',
      'https://example.com/b',
      '--secret-file',
      secretFile,
    )
    expect(created).toMatchObject({
      sourceId: source,
      type: 'Webhooks',
      name: 'CRM',
      enabled: false,
      settings: {
        sharedSecret: { set: true, last4: 'cret' },
        webhooks: [
          { url: 'https://example.com/a', headers: { 'x-key': { set: true } } },
          { url: 'https://example.com/b', headers: {} },
        ],
        successPolicy: 'any',
      },
    })
    expect(await service.json('destinations', 'enable', created.id)).toMatchObject({
      enabled: true,
    })
    expect(await service.json('destinations', 'disable', created.id)).toMatchObject({
      enabled: false,
    })
    expect(await service.json('destinations', 'update', created.id, '--enabled')).toMatchObject({
      enabled: true,
    })
    expect(await service.json('destinations', 'update', created.id, '--disabled')).toMatchObject({
      enabled: false,
    })
    const changes = ['--no-secret', '--policy', 'each', '--name', 'CRM 2']
    expect(await service.json('destinations', 'update', created.id, ...changes)).toMatchObject({
      name: 'CRM 2',
      settings: { sharedSecret: { set: false }, successPolicy: 'each', webhooks: [{}, {}] },
    })
    const shown = await service.run('destinations', 'get', created.id)
    expect(shown.stdout).toMatch(/webhook +https:\/\/example\.com\/a \(with x-key\)/)
    expect(shown.stdout).toContain('not signed')
    await service.run('destinations', 'update', created.id, '--signature', 'ed25519')
    const signed = await service.run('destinations', 'get', created.id)
    expect(signed.stdout).toMatch(/shared secret +none\n/)
    expect(await service.json('destinations', 'list', '--source', source)).toMatchObject({
      data: [{ id: created.id }],
    })
    expect((await service.run('destinations', 'list')).stdout).toContain('CRM 2')
    await service.run('destinations', 'delete', created.id, '--yes')
    expect(await service.json('destinations', 'list')).toEqual({ data: [], nextCursor: null })
  })

  it('reports all errors in the settings together', async () => {
    const failed = await service.run(
      'destinations',
      'create',
      '--source',
      'src_none',
      '--webhook',
      'ftp://x',
      '--json',
    )
    expect(failed.code).toBe(2)
    expect(errorOf(failed)).toMatchObject({
      code: 'invalid_body',
      errors: [
        { pointer: '/sourceId', message: 'No source has this id.' },
        { pointer: '/settings/webhooks/0/url' },
      ],
    })
  })

  it('sets the authentication of each webhook, from options and files', async () => {
    using folder = new TemporaryFolder()
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text)
      return join(folder.path, name)
    }
    const { cert, key } = makeCertificates().clients[0]
    const oauth2 = { tokenUrl: 'https://example.com/token', clientId: 'id', clientSecret: 'geheim' }
    const webhook = (path: string, ...options: string[]) => [
      '--webhook',
      `https://example.com/${path}`,
      ...options,
    ]
    const certificate = ['--client-certificate', file('cert.pem', cert)]
    const created = await service.json<{ id: string }>(
      'destinations',
      'create',
      '--source',
      source,
      ...webhook('basic', '--basic', 'someone:geheim:2'),
      ...webhook('bearer', '--bearer', 'geheim'),
      ...webhook('oauth2', '--auth-file', file('auth.json', JSON.stringify({ oauth2 }))),
      ...webhook('certificate', ...certificate, '--client-key', file('key.pem', key)),
    )
    const set = { set: true }
    expect(created).toMatchObject({
      settings: {
        webhooks: [
          { auth: { basic: { user: 'someone', password: set } } },
          { auth: { bearer: set } },
          { auth: { oauth2: { ...oauth2, clientSecret: set } } },
          { auth: { clientCertificate: { certificate: { subject: 'CN=client-a' }, key: set } } },
        ],
      },
    })
    const { stdout } = await service.run('destinations', 'get', created.id)
    expect(stdout).toContain('(basic authentication as someone)')
    expect(stdout).toContain('(bearer token)')
    expect(stdout).toContain('(OAuth 2 token for id from https://example.com/token)')
    expect(stdout).toMatch(/\(client certificate CN=client-a, expires \d{4}-/)
    expect(stdout).not.toContain('geheim')
  })

  it.for([
    ['--basic', 'geheim'],
    ['--basic', 'u:geheim', '--bearer', 'geheim'],
    ['--client-certificate', '/geheim'],
    ['--client-certificate', '/none', '--client-key', '/none'],
    ['--auth-file', '/none'],
  ])('refuses %s, without quoting secrets', async (options) => {
    const create = ['destinations', 'create', '--source', source]
    const failed = await service.run(...create, '--webhook', 'https://example.com', ...options)
    expect(failed.code).toBe(2)
    expect(failed.stderr).not.toContain('geheim')
    const early = await service.run(...create, ...options, '--webhook', 'https://example.com')
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('its --webhook')])
  })

  it('sets, changes and removes the limits of webhooks, and keeps their headers, authentication and secrets', async () => {
    const [a, b] = ['https://example.com/a', 'https://example.com/b'] as const
    using folder = new TemporaryFolder()
    const { cert, key } = makeCertificates().clients[0]
    const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')]
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const certificate = ['--client-certificate', certFile, '--client-key', keyFile]
    const limits = ['--per-second', '20', '--retry-schedule', '5s,5m', '--retry-on', '409, 423']
    const secret = ['--webhook-secret', 'a webhook secret, which is long enough']
    const webhook = ['--webhook', a, '--basic', 'someone:geheim', ...secret, ...limits]
    const other = ['--webhook', b, '--header', 'x-key: geheim', ...certificate]
    const create = ['destinations', 'create', '--source', source, ...webhook, ...other]
    const { id } = await service.json<{ id: string }>(...create)
    const webhooks = async (...options: string[]) => {
      const update = ['destinations', 'update', id, ...options]
      return (await service.json<{ settings: { webhooks: object[] } }>(...update)).settings.webhooks
    }
    const set = { set: true }
    const keptA = { url: a, auth: { basic: { password: set } }, secret: { ...set, last4: 'ough' } }
    const auth = { clientCertificate: { certificate: { subject: 'CN=client-a' }, key: set } }
    const keptB = { url: b, headers: { 'x-key': set }, auth }
    const ofA = { perSecond: 20, retrySchedule: ['5s', '5m'], retryOn: [409, 423] }
    expect(await webhooks('--timeout', '20s', '--retry-window', '3d')).toMatchObject([
      { ...keptA, limits: { ...ofA, timeout: '20s' } },
      { ...keptB, limits: { timeout: '20s', retryWindow: '3d' } },
    ])
    expect((await service.run('destinations', 'get', id)).stdout).toContain(
      '(basic authentication as someone) (20 attempts/s; timeout 20s; retry window 3d; retries after 5s, 5m; retries on 409, 423)',
    )
    const { stdout } = await service.run('destinations', 'get', id)
    expect(stdout).toMatch(/^ {2}perSecond +20 \(webhook\)\n {2}concurrency +64 \(maxConcurrency/m)
    expect(stdout).toMatch(/^ {2}perSecond +none\n/m)
    expect(stdout).toMatch(/^ {2}retrySchedule +exponential backoff \(retrySchedule\)$/m)
    expect(await service.json('destinations', 'get', id)).toMatchObject({
      effectiveLimits: [{ url: a, timeout: { value: '20s', origin: 'webhook' } }, { url: b }],
    })
    const unlimited = await webhooks('--no-limits')
    expect(unlimited).toMatchObject([keptA, keptB])
    for (const each of unlimited) expect(each).not.toHaveProperty('limits')
  })

  it('refuses a change to limits if the destination has changed since it was read', async () => {
    using folder = new TemporaryFolder()
    const pipe = join(folder.path, 'transform')
    execFileSync('mkfifo', [pipe])
    const create = ['destinations', 'create', '--source', source, '--webhook', 'https://a.example']
    const { id } = await service.json<{ id: string }>(...create)
    const limits = ['--timeout', '20s', '--transform', pipe]
    const update = service.run('destinations', 'update', id, ...limits)
    // The command opens the file after it has read the destination.
    const file = await open(pipe, 'w')
    await service.json('destinations', 'update', id, '--webhook', 'https://b.example')
    await file.writeFile('$')
    await file.close()
    const { code, stderr } = await update
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run the command again.')])
    expect(await service.json('destinations', 'get', id)).toMatchObject({
      settings: { webhooks: [{ url: 'https://b.example/' }] },
    })
  })

  it('keeps the configuration of a webhook whose URL is listed again', async () => {
    const [a, b, c] = [
      'https://example.com/{{userId}}',
      'https://example.com/b',
      'https://c.example',
    ]
    const secret = ['--webhook-secret', 'a webhook secret, which is long enough']
    const limits = ['--per-second', '20', '--retry-on', '409']
    const headers = ['--header', 'X-One: geheim', '--header', 'X-Two: geheim']
    const first = ['--webhook', a, '--bearer', 'geheim', ...headers, ...secret, ...limits]
    const create = ['destinations', 'create', '--source', source, ...first, '--webhook', b]
    const { id } = await service.json<{ id: string }>(...create)
    const update = async (...options: string[]) => {
      const command = ['destinations', 'update', id, ...options]
      return (await service.json<{ settings: { webhooks: object[] } }>(...command)).settings
        .webhooks
    }
    const set = { set: true }
    const kept = {
      auth: { bearer: set },
      headers: { 'X-One': set, 'X-Two': set },
      secret: { ...set, last4: 'ough' },
      limits: { perSecond: 20, retryOn: [409] },
    }
    const added = await update('--webhook', c, '--webhook', 'HTTPS://EXAMPLE.com:443/{{userId}}')
    expect(added).toMatchObject([
      { url: `${c}/`, headers: {} },
      { url: a, ...kept },
    ])
    expect(added).toHaveLength(2)
    expect(added[0]).not.toHaveProperty('auth')
    const changes = ['--header', 'x-two: other', '--basic', 'u:geheim', '--timeout', '20s']
    const [changed] = await update('--webhook', a, ...changes)
    expect(changed).toMatchObject({
      auth: { basic: { user: 'u', password: set } },
      headers: { 'X-One': set, 'x-two': set },
      secret: kept.secret,
      limits: { ...kept.limits, timeout: '20s' },
    })
    expect(Object.keys((changed as typeof kept).headers)).toHaveLength(2)
    const none = ['--no-auth', '--no-headers', '--no-webhook-secret', '--no-limits']
    const [bare] = await update('--webhook', a, ...none, '--header', 'x-new: geheim')
    expect(bare).toEqual({ url: a, headers: { 'x-new': set }, paused: null })
    const early = await service.run('destinations', 'update', id, '--no-auth', '--webhook', a)
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('its --webhook')])
  })

  it('refuses limits before their webhook, and invalid or conflicting limits', async () => {
    const create = ['destinations', 'create', '--source', source]
    const failed = await Promise.all([
      service.run(...create, '--concurrency', '4', '--webhook', 'https://example.com'),
      service.run(...create, '--webhook', 'https://example.com', '--per-second', 'many'),
      service.run(...create, '--webhook', 'https://example.com', '--retry-on', '200'),
      service.run(...create, '--webhook', 'https://example.com', '--timeout', '1m'),
      service.run('destinations', 'update', 'dst', '--no-limits', '--timeout', '20s'),
    ])
    expect(failed.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
    expect(failed[0].stderr).toContain('must come after their --webhook')
    expect(failed[3].stderr).toContain('100ms to 30s')
    expect(failed[4].stderr).toContain('--no-limits conflicts with')
  })

  it('refuses a header without a webhook or without a name, without quoting it', async () => {
    const create = ['destinations', 'create', '--source', source]
    const [early, none] = await Promise.all([
      service.run(...create, '--header', 'x-key: geheim'),
      service.run(...create, '--webhook', 'https://example.com', '--header', 'geheim'),
    ])
    expect([early.code, none.code]).toEqual([2, 2])
    expect(early.stderr + none.stderr).not.toContain('geheim')
  })

  it('sets and removes the filter, sample, fields and transform of a destination, and changes its method and URL', async () => {
    const { id } = await service.json<{ id: string }>(
      'destinations',
      'create',
      '--source',
      source,
      '--webhook',
      'https://example.com',
    )
    const update = (...options: string[]) =>
      service.json<{ settings: object }>('destinations', 'update', id, ...options)
    const chosen = ['--event', 'Order *', '--where', 'properties.revenue>=100', '--sample', '10%']
    const shaped = ['--drop', 'context.ip', '--hash-email', 'traits.email', '--format', 'standard']
    expect((await update(...chosen, ...shaped)).settings).toMatchObject({
      filter: { event: 'Order *', where: [{ property: 'revenue', op: '>=', value: 100 }] },
      sample: { rate: 0.1, by: 'userId' },
      fields: {
        drop: ['context.ip'],
        hash: [{ path: 'traits.email', normalize: 'email' }],
        salt: { set: true },
      },
      format: 'standard',
    })
    const both = await update('--hash', 'traits.ssn')
    expect(both.settings).toMatchObject({
      fields: { hash: [{ path: 'traits.ssn' }, { path: 'traits.email', normalize: 'email' }] },
    })
    await update('--hash-email', 'traits.email')
    const { settings } = await update('--drop', 'context.page')
    expect(settings).toMatchObject({
      fields: { drop: ['context.page'], hash: [{ path: 'traits.ssn' }, { path: 'traits.email' }] },
    })
    const { stdout } = await service.run('destinations', 'get', id)
    expect(stdout).toContain('without context.page; hashed: traits.ssn, traits.email')
    expect(stdout).toMatch(/sample +10% by userId/)
    const preview = ['destinations', 'filter-preview', id, '--last', '10']
    expect((await service.run(...preview)).stdout).toContain('The source has no events.')
    expect(await service.json(...preview)).toMatchObject({ examined: 0, selected: 0, byName: [] })
    const slack = await update('--transform', 'slack')
    expect(slack.settings).toMatchObject({ transform: expect.stringContaining('"text"') })
    const test = ['destinations', 'test', id, '--type', 'track', '--dry-run']
    expect((await service.run(...test)).stdout).toMatch(/stored payload[^]*"text"/)
    const webhook = ['--webhook', 'https://example.com/{{userId}}?e={{event}}']
    const addressed = await update('--method', 'PUT', ...webhook, '--no-transform')
    expect(addressed.settings).toMatchObject({ method: 'PUT', webhooks: [{ url: webhook[1] }] })
    expect((await service.run('destinations', 'get', id)).stdout).toMatch(/method +PUT/)
    expect((await service.run(...test)).stdout).toContain('PUT https://example.com/sample-user?e=')
    const removed = await update('--no-filter', '--no-sample', '--no-fields', '--no-transform')
    expect(removed.settings).not.toHaveProperty('transform')
    expect(removed.settings).not.toHaveProperty('filter')
    expect(removed.settings).not.toHaveProperty('sample')
    expect(removed.settings).not.toHaveProperty('fields')
  })
})
