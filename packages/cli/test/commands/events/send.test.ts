import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { ApiService } from '@hookline/testing/cli/api-service'
import { Hookline, run } from '@hookline/testing/cli/hookline'

interface Trace {
  readonly event: object
  readonly deliveries: readonly { readonly state: string }[]
}

describe('hookline send and trace', () => {
  let service: ApiService
  let receiver: Hookline
  let source: string
  let writeKey: string
  beforeAll(async () => {
    service = await ApiService.start()
    receiver = new Hookline(['listen', '--port', '0', '--secret', 'shared', '--json'])
    const { url } = await receiver.document<{ url: string }>('listening')
    const created = await service.json<{ id: string; writeKeys: [{ key: string }] }>(
      'sources',
      'create',
      'Shop',
    )
    source = created.id
    writeKey = created.writeKeys[0].key
    const settings = ['--webhook', url, '--secret', 'shared', '--enabled']
    await service.json('destinations', 'create', '--source', source, ...settings)
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
  })

  async function deliveredTrace(messageId: string): Promise<Trace> {
    const trace = () => service.json<Trace>('trace', messageId)
    await expect
      .poll(async () => (await trace()).deliveries.map(({ state }) => state))
      .toEqual(['delivered'])
    return trace()
  }

  it('sends a call, and traces its delivery', async () => {
    const sent = await service.json<{ messageId: string }>(
      'send',
      'track',
      'Order Completed',
      '--user',
      'u1',
      '-p',
      'revenue=39.95',
      '-p',
      'gift=true',
      '--timestamp',
      '2026-11-20T08:00:00Z',
    )
    expect(sent).toEqual({ accepted: true, type: 'track', messageId: expect.any(String) })
    const trace = await deliveredTrace(sent.messageId)
    expect(trace).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      event: {
        type: 'track',
        event: 'Order Completed',
        userId: 'u1',
        properties: { revenue: 39.95, gift: true },
        timestamp: '2026-11-20T08:00:00.000Z',
        context: { app: { name: 'hookline' }, library: { name: '@hookline/client' } },
      },
      source: { id: source, name: 'Shop' },
      decisions: [{ decision: 'deliver' }],
      deliveries: [{ attempts: [{ status: 200 }] }],
    })
    const text = await service.run('trace', (trace as unknown as { id: string }).id)
    expect(text.stdout).toMatch(/^track "Order Completed"\n/)
    expect(text.stdout).toMatch(/^received +2\S+Z by @hookline\/client [\d.]+$/m)
    expect(text.stdout).toMatch(/→ Webhooks \(dst_\S+\) Delivered\.\n {2}msg_\S+ delivered\n/)
    expect(text.stdout).toMatch(
      /#1 200 in \d+ ms \(connect \d+, response \d+(?:, transfer \d+)?\) http:\/\/127\.0\.0\.1/,
    )
  })

  it('sends calls of all other types, with their type-specific fields', async () => {
    const calls: readonly (readonly string[])[] = [
      ['page', 'Home', '--anonymous', 'a1', '-p', 'path=/'],
      ['screen', 'Main', '--user', 'u1'],
      ['identify', '--user', 'u1', '-t', 'plan=team'],
      ['group', '--user', 'u1', '--group', 'acme', '-t', 'seats=3'],
      ['alias', '--user', 'u2', '--previous', 'u1'],
    ]
    const keyed = ['--write-key', writeKey, '--url', service.url]
    const sent = await Promise.all(calls.map((call) => run(['send', ...call, ...keyed])))
    expect(sent.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      calls.map(() => ({ code: 0, stderr: '' })),
    )
    const deliveries = await receiver.documents<{ body: object; type: string }>('delivery', 6)
    const bodyOf = (type: string) => deliveries.find((delivery) => delivery.type === type)!.body
    expect(bodyOf('page')).toMatchObject({ name: 'Home', properties: { path: '/' } })
    expect(bodyOf('identify')).toMatchObject({ traits: { plan: 'team' } })
    expect(bodyOf('group')).toMatchObject({ groupId: 'acme', traits: { seats: 3 } })
    expect(bodyOf('alias')).toMatchObject({ 'Previous ID': 'u1', 'User ID': 'u2' })
  })

  it('exits 2 and reports all errors in a call together', async () => {
    const { code, stderr } = await service.run(
      'send',
      'group',
      'Name',
      '-p',
      'a=1',
      '--timestamp',
      'yesterday',
    )
    expect(code).toBe(2)
    expect(stderr).toContain('group does not accept a name.')
    expect(stderr).toContain('group does not accept --property.')
    expect(stderr).toContain('group requires --group.')
    expect(stderr).toContain('group requires --user or --anonymous.')
    expect(stderr).toContain('--timestamp must be ISO 8601')
  })

  it('exits 3 for an unknown write key, and prints the remedy', async () => {
    const call = ['send', 'page', '--user', 'u1', '--url', service.url]
    const { code, stderr } = await run(call, { env: { HOOKLINE_WRITE_KEY: 'wk_none' } })
    expect(code).toBe(3)
    expect(stderr).toMatch(/The write key is missing or unknown\.\n {2}`hookline sources list`/)
  })

  it('exits 6 if nothing responds', async () => {
    const nowhere = ['--url', 'http://127.0.0.1:1', '--write-key', 'wk']
    expect((await run(['send', 'page', '--user', 'u1', ...nowhere])).code).toBe(6)
  })

  it('exits 1 if a server other than Hookline responds with 200', async () => {
    await using other = await openReceiver({ respond: { body: '{"hello":true}' } })
    const there = ['--url', `http://127.0.0.1:${other.port}`, '--write-key', 'wk']
    const { code, stderr } = await run(['send', 'page', '--user', 'u1', ...there])
    expect(code).toBe(1)
    expect(stderr).toContain('Unexpected response with status 200.')
  })

  it('exits 2 for a call that is too large, with the remedy', async () => {
    const large = ['-p', `text=${'x'.repeat(33_000)}`]
    const { code, stderr } = await service.run('send', 'page', '--user', 'u1', ...large)
    expect(code).toBe(2)
    expect(stderr).toMatch(/The call is too large\.\n {2}Send at most 32 KiB/)
  })

  it('refuses credentials in the URL', async () => {
    const { code, stderr } = await run(['send', 'page', '--url', 'http://u:secret@127.0.0.1:1'])
    expect(code).toBe(2)
    expect(stderr).toContain('must not contain a user name or a password')
  })

  it('requires a write key if there are several sources', async () => {
    const second = await service.json<{ id: string }>('sources', 'create', 'Second')
    const { code, stderr } = await service.run('send', 'page', '--user', 'u1')
    await service.run('sources', 'delete', second.id, '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('--write-key')
  })

  it('exits 4 for an unknown event', async () => {
    const [message, event] = await Promise.all([
      service.run('trace', 'no-such-message'),
      service.run('trace', 'evt_01m7xqtc3ve5bb9z2m3e1v4f5g'),
    ])
    expect([message.code, event.code]).toEqual([4, 4])
    expect(message.stderr).toContain('No event has the id or messageId "no-such-message".')
  })

  it('shows why an event was not delivered', async () => {
    const quiet = await service.json<{ id: string; writeKeys: [{ key: string }] }>(
      'sources',
      'create',
      'Quiet',
    )
    const target = ['--source', quiet.id, '--webhook', 'https://example.com']
    await service.run('destinations', 'create', ...target)
    const call = ['send', 'page', '--user', 'u1', '--write-key', quiet.writeKeys[0].key]
    const { messageId } = await service.json<{ messageId: string }>(...call)
    await expect
      .poll(async () => (await service.run('trace', messageId)).stdout)
      .toMatch(/✗ Webhooks \(dst_\S+\) destination_disabled: The destination was disabled/)
    await service.run('sources', 'delete', quiet.id, '--yes')
  })

  it('never prints the admin token', async () => {
    const token = readFileSync(service.tokenFile, 'utf8').trim()
    const runs = await Promise.all([
      service.run('sources', 'list'),
      service.run('sources', 'get', 'src_none'),
      service.run('sources', 'list', '--url', 'http://127.0.0.1:1'),
    ])
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(token)
  })
})
