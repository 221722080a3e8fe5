import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { HOOKLINE } from '@hookline/testing/repository'

let service: ApiService
let folder: TemporaryFolder
beforeAll(async () => {
  folder = new TemporaryFolder()
  service = await ApiService.start()
  await service.json('sources', 'create', 'Shop')
  await service.json(
    'destinations',
    'create',
    '--source',
    'Shop',
    '--webhook',
    'https://192.0.66.1/',
  )
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const WEBHOOK = ['--webhook', 'https://192.0.66.1/']

/**
 * The arguments of a command, and the expected error, which names the option or the request field.
 */
const REFUSED: readonly (readonly [args: readonly string[], expected: RegExp])[] = [
  [['sources', 'create', ''], /\/name: name is too short\./],
  [['sources', 'update', 'Shop', '--name', ''], /\/name: name is too short\./],
  [['sources', 'update', 'Shop', '--space', 'A B'], /\/space: space has the wrong format/],
  [['destinations', 'create', '--source', 'Shop'], /\/settings: settings is missing\./],
  [
    ['destinations', 'create', '--source', 'Shop', ...WEBHOOK, '--webhook', 'ftp://x'],
    /\/settings\/webhooks\/1\/url: Only http/,
  ],
  [
    ['destinations', 'create', '--source', 'Shop', '--webhook', 'https://a:b@x.example/'],
    /\/settings\/webhooks\/0\/url: /,
  ],
  [
    ['destinations', 'create', '--source', 'Shop', ...WEBHOOK, '--header', 'host: x'],
    /\/settings\/webhooks\/0\/headers\/host: This header is reserved\./,
  ],
  [['destinations', 'update', 'Webhooks', '--secret', ''], /\/settings\/sharedSecret: /],
  [['destinations', 'rotate-secret', 'Webhooks', '--secret', ''], /\/secret: secret is too short/],
  [
    ['destinations', 'rotate-secret', 'Webhooks', '--secret', 'x', '--overlap', '500'],
    /\/overlapHours: overlapHours is too large\./,
  ],
  [
    ['tokens', 'create', 'ci', '--role', 'viewer', '--expires', 'soon'],
    /'--expires <time>' .+ISO 8601/,
  ],
  [['tokens', 'create', '', '--role', 'viewer'], /\/name: name is too short\./],
  [['audiences', 'create', 'VIP'], /\/condition: /],
  [['traits', 'create', 'Total'], /\/compute: compute is missing\./],
  [['audiences', 'create', 'VIP', '--manual', '--space', 'none'], /\/space: This space has no/],
  [
    ['events', 'list', '--from', 'yesterday'],
    /'--from <time>' .+ISO 8601.+\n {2}`hookline events list --help`/,
  ],
  [
    ['deliveries', 'list', '--class', 'slow'],
    /'--class <class>' .+Allowed choices are delivered, .+timeout/,
  ],
  [
    ['replay', '--destination', 'Webhooks', '--from', '1h', '--to', '2h'],
    /\/from: The time range is empty/,
  ],
  [['stats', '--step', '1m', '--from', '2020-01-01T00:00:00Z'], /step: .+a longer step/],
  [
    ['deliveries', 'list', '--stat', 'x'],
    /Did you mean --state\?\)\n {2}`hookline deliveries list --help`/,
  ],
  [['destinatons', 'list'], /Did you mean destinations\?/],
]

/** Commands that the test completes with an unknown id. */
const UNKNOWN: readonly (readonly string[])[] = [
  ...['sources', 'destinations', 'audiences', 'traits'].map((each) => [each, 'get']),
  ...['pause', 'resume', 'close-breaker', 'test', 'enable', 'disable'].map((verb) => [
    'destinations',
    verb,
  ]),
  ['destinations', 'update', '--name', 'New'],
  ['destinations', 'list', '--source'],
  ['destinations', 'create', ...WEBHOOK, '--source'],
  ['sources', 'add-key'],
  ['sources', 'delete', '--yes'],
  ['destinations', 'delete', '--yes'],
  ['tokens', 'delete', '--yes'],
  ['audiences', 'delete', '--yes'],
  ['audiences', 'members'],
  ['audiences', 'sync'],
  ['audiences', 'create', 'VIP', '--manual', '--destination'],
  ['traits', 'values'],
  ['events', 'get'],
  ['events', 'list', '--source'],
  ['deliveries', 'get'],
  ['deliveries', 'retry'],
  ['deliveries', 'list', '--destination'],
  ['deliveries', 'failures', '--destination'],
  ['tail', '--destination'],
  ['stats', '--source'],
  ['replay', '--destination'],
  ['replays', 'get'],
  ['replays', 'cancel'],
  ['deletions', 'get'],
  ['delete-user', 'u1', '--yes', '--source'],
]

describe('a command with invalid input', () => {
  it.each(REFUSED)('exits 2 and names the option or the field: %j', async (args, expected) => {
    const { code, stdout, stderr } = await service.run(...args)
    expect(stderr).toMatch(expected)
    expect([code, stdout]).toEqual([2, ''])
  })

  it.each<[string, string | Buffer, RegExp]>([
    ['a number that becomes infinite', '{"rateLimit": 1e400}', /a number for "rateLimit" that/],
    [
      'a number with too many digits',
      '{"value": 12345678901234567891}',
      /a number for "value" that/,
    ],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"name": "caf\xe9"}', 'latin1'),
      /is not valid UTF-8/,
    ],
  ])('sends nothing if a document has %s', async (_what, content, expected) => {
    const path = join(folder.path, 'rejected.json')
    writeFileSync(path, content)
    for (const args of [
      ['import-config', path],
      ['audiences', 'create', 'VIP', '--condition', path],
    ]) {
      const { code, stderr } = await service.run(...args)
      expect([code, stderr]).toEqual([2, expect.stringMatching(expected)])
    }
  })

  it('sends nothing if arguments are not UTF-8', async () => {
    // Node passes a string's bytes unchanged only through a shell.
    const shell = `"$0" "$1" delete-user "$(printf '\\351')" --yes`
    const { status, stderr } = spawnSync('sh', ['-c', shell, process.execPath, HOOKLINE], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not UTF-8')])
  })

  it('names the field of a document, or the line with invalid JSON', async () => {
    const file = (name: string, text: string) => {
      const path = join(folder.path, name)
      writeFileSync(path, text)
      return path
    }
    const condition = file('c.json', '{"event": "Order",\n "count": {"op": "about", "n": 2}}')
    const audience = await service.run('audiences', 'create', 'VIP', '--condition', condition)
    expect([audience.code, audience.stderr]).toEqual([
      2,
      expect.stringContaining('  /condition/count/op: '),
    ])
    const document = '{"hookline": 1, "sources": [],\n "destinations": [\n  {"id": "x"}]}'
    const imported = await service.run('import-config', file('d.json', document))
    expect([imported.code, imported.stderr]).toEqual([
      2,
      expect.stringContaining('  /destinations/0'),
    ])
    const broken = await service.run('import-config', file('e.json', '{"secret": "planted",\n x'))
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('line 2, column 2')])
    expect(broken.stderr).not.toContain('planted')
  })
})

describe('an unknown id', () => {
  it.each(UNKNOWN)('exits 4: %j %j %j', async (...args) => {
    const command = args.filter((each) => each !== undefined)
    for (const id of ['dst_unknown', '../x?y=#z']) {
      const { code, stderr } = await service.run(...command, id)
      expect([id, code, stderr]).toEqual([
        id,
        4,
        expect.stringMatching(
          /^error: .+\n {2}.*(?:`hookline .+ list`|\bNo |\bno such |Unknown destination\. Use the id )/,
        ),
      ])
    }
  })
})
