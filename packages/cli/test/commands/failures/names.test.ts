import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

const WEBHOOK = ['--webhook', 'https://192.0.66.1/']

describe('a name instead of an id', () => {
  it('is accepted if it is unique, and otherwise refused with the matching ids', async () => {
    const source = await service.json<{ id: string }>('sources', 'create', 'My shop')
    const create = ['destinations', 'create', '--source', 'My shop', ...WEBHOOK, '--name']
    const crm = await service.json<{ id: string; sourceId: string }>(...create, 'CRM')
    expect(crm.sourceId).toBe(source.id)
    expect(await service.json('destinations', 'get', 'CRM')).toMatchObject({ id: crm.id })
    expect(await service.json('destinations', 'list', '--source', 'My shop')).toMatchObject({
      data: [{ id: crm.id }],
    })
    const near = await service.run('destinations', 'get', 'crm')
    expect([near.code, near.stderr]).toEqual([4, expect.stringContaining('Did you mean "CRM"?')])
    const nothing = await service.run('destinations', 'update', 'CRM')
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(/No changes given\.\n.+--webhook.+--name/),
    ])
    const token = await service.json<{ id: string }>('tokens', 'create', 'ci', '--role', 'viewer')
    expect(await service.json('tokens', 'delete', 'ci', '--yes')).toMatchObject({ id: token.id })
    const other = await service.json<{ id: string }>(...create, 'CRM')
    const failed = await service.run('destinations', 'get', 'CRM')
    expect([failed.code, failed.stderr]).toEqual([
      2,
      expect.stringContaining(`The name "CRM" is not unique: ${crm.id}, ${other.id}.`),
    ])
  })

  it('may start with the id prefix of another kind', async () => {
    const created = await service.json<{ id: string }>('sources', 'create', 'evt_collector')
    expect(await service.json('sources', 'get', 'evt_collector')).toMatchObject({ id: created.id })
  })
})

describe('a destructive command', () => {
  it('does nothing if there is neither a terminal nor --yes, and lists the records that would be lost', async () => {
    const source = await service.json<{ id: string; writeKeys: { key: string }[] }>(
      'sources',
      'create',
      'Doomed',
    )
    const create = ['destinations', 'create', '--source', source.id, ...WEBHOOK, '--name']
    await service.json(...create, 'Mail')
    await service.json('tokens', 'create', 'deploy', '--role', 'viewer')
    await service.json('audiences', 'create', 'VIP', '--manual')
    const lost: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['sources', 'delete', 'Doomed'],
        /source "Doomed" .+ its 1 write key\. This also deletes its destination \("Mail"\)/,
      ],
      [['sources', 'remove-key', 'Doomed', source.writeKeys[0]!.key], /source "Doomed"/],
      [['destinations', 'delete', 'Mail'], /destination "Mail" .+0 pending, 0 held/],
      [['tokens', 'delete', 'deploy'], /token "deploy" .+viewer role.+never been used/],
      [['audiences', 'delete', 'VIP'], /an audience and its values for 0 users: "VIP"/],
      [
        ['audiences', 'import', 'VIP', '/dev/null', '--replace'],
        /audience "VIP" .+not in \/dev\/null/,
      ],
      [['delete-user', 'u1', 'u2'], /2 users in all sources: "u1", "u2"\./],
    ]
    const before = await service.json('audit')
    for (const [args, expected] of lost) {
      const { code, stderr } = await service.run(...args)
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(expected)])
      expect(stderr).toMatch(/\n {2}Without a terminal, add --yes to confirm\./)
    }
    expect(await service.json('audit')).toEqual(before)
  })
})

describe('a webhook whose address is not allowed', () => {
  it('causes a warning on stderr with the required setting when it is created, changed or tested', async () => {
    await service.json('sources', 'create', 'Private')
    const create = ['destinations', 'create', '--source', 'Private', '--name', 'LAN']
    const created = await service.run(...create, '--webhook', 'http://10.1.2.3/')
    const warned =
      /^warning: The address 10\.1\.2\.3 is private.+\n.+`hookline start --allowed-networks 10\.1\.2\.3\/32`/
    expect([created.code, created.stderr]).toEqual([0, expect.stringMatching(warned)])
    expect(created.stdout).not.toContain('warning')
    expect((await service.run('destinations', 'update', 'LAN', '--name', 'LAN 2')).stderr).toMatch(
      warned,
    )
    expect((await service.run('destinations', 'test', 'LAN 2', '--dry-run')).stderr).toMatch(warned)
    const fine = await service.run('destinations', 'update', 'LAN 2', ...WEBHOOK)
    expect([fine.code, fine.stderr]).toEqual([0, ''])
  })
})

describe('hookline audit and stats', () => {
  it('show who changed what, and activity over time', async () => {
    const source = await service.json<{ id: string; writeKeys: { key: string }[] }>(
      'sources',
      'create',
      'Counted',
    )
    await service.json('sources', 'update', 'Counted', '--rate-limit', '5')
    const shown = await service.run('audit', '--target', source.id)
    expect(shown.stdout).toMatch(
      /changeSource +src_\w+ +rateLimit\n.+createSource +src_\w+ +created\n/,
    )
    const found = await service.json<{ data: object[] }>(
      'audit',
      '--action',
      'createSource',
      '--token',
      'admin-token',
      '--limit',
      '1',
    )
    expect(found.data).toMatchObject([{ action: 'createSource', targetId: source.id }])
    expect(await service.run('stats', '--source', source.id)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No activity from .+\.\n$/),
    })
    const counted = await service.json<{ stepMs: number; points: object[] }>(
      'stats',
      '--step',
      '1h',
    )
    expect([counted.stepMs, counted.points.length]).toEqual([3_600_000, 60])
  })
})
