import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS } from '../../../../server/src/backend/embedded/migrations/migrations.ts'
import { TemporaryFolder } from '../../../../server/test/harness/temporary-folder.ts'
import { ApiService } from '../../harness/api-service.ts'
import { errorOf } from '../../harness/error-of.ts'
import { Hookline, run } from '../../harness/hookline.ts'

let service: ApiService
let folder: TemporaryFolder
beforeAll(async () => {
  service = await ApiService.start()
  folder = new TemporaryFolder()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function makeDestination(): Promise<{ source: string; destination: string }> {
  const source = await service.json<{ id: string; writeKeys: { key: string }[] }>(
    'sources',
    'create',
    'Shop',
  )
  // Nobody listens there: the first attempt fails at once.
  const webhook = ['--webhook', 'http://127.0.0.1:2/', '--secret', 'planted shared secret']
  const args = ['--source', source.id, ...webhook, '--enabled']
  const destination = await service.json<{ id: string }>('destinations', 'create', ...args)
  const key = source.writeKeys[0]!.key
  await service.json('send', 'track', 'Order Completed', '--user', 'u1', '--write-key', key)
  return { source: source.id, destination: destination.id }
}

describe('hookline tokens', () => {
  it('makes a token that is shown once, works by its role, and ends', async () => {
    const made = await service.json<{ id: string; token: string }>(
      'tokens',
      'create',
      'ci',
      '--role',
      'viewer',
    )
    const env = { HOOKLINE_URL: service.url, HOOKLINE_ADMIN_TOKEN: made.token }
    expect((await run(['sources', 'list'], { env })).code).toBe(0)
    const refused = await run(['sources', 'create', 'x', '--json'], { env })
    expect([refused.code, errorOf(refused)['code']]).toEqual([3, 'forbidden'])
    const listed = await service.run('tokens', 'list')
    expect(listed.stdout).toContain(made.id)
    expect(listed.stdout).not.toContain(made.token)
    await service.json('tokens', 'delete', made.id)
    expect((await run(['sources', 'list'], { env })).code).toBe(3)
  })
})

describe('hookline events, deliveries and tail', () => {
  it('show what was received and how it went, also as it happens', async () => {
    const env = { HOOKLINE_URL: service.url }
    const flags = ['--token-file', service.tokenFile, '--json']
    await using tail = new Hookline(['tail', '--kind', 'attempt', ...flags], { env })
    // It says nothing until something happens that it can see.
    const seen = async (): Promise<string> => {
      if (tail.stdout === '') await makeDestination()
      return tail.stdout
    }
    await expect.poll(seen, { timeout: 15_000, interval: 300 }).not.toBe('')
    const { destination } = await makeDestination()
    const query = ['--destination', destination]
    const list = () => service.json<{ data: Listed[] }>('deliveries', 'list', ...query)
    await expect.poll(async () => (await list()).data[0]?.attempts.length).toBeGreaterThan(0)
    const [delivery] = (await list()).data
    expect(delivery!.attempts[0]!.class).toBe('connection_failed')
    const byEvent = ['list', '--event', delivery!.eventId] as const
    expect(await service.json('deliveries', ...byEvent)).toMatchObject({
      data: [{ id: delivery!.id }],
    })
    expect(await service.json('events', 'list', '--message-id', 'none')).toEqual({ data: [] })
    const byClass = ['list', ...query, '--class', 'timeout'] as const
    expect(await service.json('deliveries', ...byClass)).toEqual({ data: [] })
    expect((await service.run('deliveries', 'get', delivery!.id)).stdout).toContain(
      'connection_failed',
    )
    const failures = await service.run('deliveries', 'failures', ...query)
    expect(failures.stdout).toMatch(/connection_failed .*Check that the receiver runs/)
    const events = await service.json<{ data: { id: string }[] }>('events', 'list', '--user', 'u1')
    expect(events.data.map(({ id }) => id)).toContain(delivery!.eventId)
    expect((await service.run('events', 'get', delivery!.eventId)).stdout).toContain(delivery!.id)
    await tail.said(new RegExp(delivery!.id))
    tail.signal('SIGINT')
    expect(await tail.exit()).toBe(0)
  })
})

interface Listed {
  readonly id: string
  readonly eventId: string
  readonly attempts: readonly { readonly class: string }[]
}

describe('hookline replay and delete-user', () => {
  it('count, replay and delete through the API', async () => {
    const { destination } = await makeDestination()
    const flags = ['--destination', destination]
    expect(await service.json('replay', ...flags, '--dry-run')).toMatchObject({ dryRun: true })
    expect(
      await service.json('replay', ...flags, '--states', 'delivered', 'expired'),
    ).toMatchObject({
      id: expect.stringMatching(/^rpl_/),
    })
    expect(await service.json('delete-user', 'u1', 'u2')).toMatchObject({ state: 'queued' })
  })
})

describe('hookline export and import-config', () => {
  it('write a document without secrets, and say what would change by it', async () => {
    const { source } = await makeDestination()
    const file = join(folder.path, 'configuration.json')
    await service.json('export', file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    expect(text).not.toContain('planted')
    writeFileSync(file, text.replace('"Shop"', '"Store"'))
    const dry = await service.run('import-config', file, '--dry-run')
    expect(dry.stdout).toMatch(/^~ src_\S+: name$/m)
    expect(await service.json('import-config', file)).toMatchObject({ dryRun: false })
    const sources = await service.json<{ data: { id: string; name: string }[] }>('sources', 'list')
    expect(sources.data.map(({ name }) => name)).toContain('Store')
    expect(sources.data.map(({ id }) => id)).toContain(source)
    expect((await service.run('export', '--with-secrets')).stdout).toContain(
      'planted shared secret',
    )
  })

  it('refuse a file that holds something else, without quoting it', async () => {
    const file = join(folder.path, 'other.txt')
    writeFileSync(file, 'planted text')
    const { code, stderr } = await service.run('import-config', file)
    expect([code, stderr.includes('planted')]).toEqual([2, false])
  })
})

describe('hookline config', () => {
  it('shows every value and where it comes from, secrets hidden', async () => {
    const file = join(folder.path, 'hookline.yaml')
    writeFileSync(file, 'lane-window: 7\n')
    const wrong = await run(['config', '--config', file, '--json'])
    expect([wrong.code, errorOf(wrong)['message']]).toEqual([
      2,
      expect.stringContaining('did you mean laneWindow?'),
    ])
    writeFileSync(file, 'laneWindow: 7\nadminToken: tok_planted\n')
    const env = { HOOKLINE_CONFIG: file, HOOKLINE_HOST: '::1' }
    const { stdout } = await run(['config', '--port', '9'], { env })
    expect(stdout).toMatch(new RegExp(`^laneWindow +7 +${file}$`, 'm'))
    expect(stdout).toMatch(/^host +::1 +HOOKLINE_HOST$/m)
    expect(stdout).toMatch(/^port +9 +--port$/m)
    expect(stdout).toMatch(/^adminToken +hidden /m)
    expect(stdout).not.toContain('planted')
  })
})

describe('hookline doctor', () => {
  it('exits 0 where all is well, and 8 where something is not', async () => {
    const dataDir = join(folder.path, 'doctor')
    const flags = ['--data-dir', dataDir, '--port', '0']
    const well = await run(['doctor', ...flags, '--json'])
    expect(well.stderr).toBe('')
    expect([well.code, JSON.parse(well.stdout)]).toMatchObject([0, { healthy: true }])
    writeFileSync(
      join(dataDir, 'hookline.db'),
      'this is no database at all, whatever its name says',
    )
    const ill = await run(['doctor', ...flags])
    expect(ill.code).toBe(8)
    expect(ill.stdout).toMatch(/^✗ database/m)
    expect(ill.stderr).toContain('Not well: database.')
  })
})

describe('hookline migrate', () => {
  it('brings a database of before up to date, and says so', async () => {
    const dataDir = join(folder.path, 'migrate')
    const migrate = () => run(['migrate', '--data-dir', dataDir, '--json'])
    mkdirSync(dataDir)
    const none = await migrate()
    expect([none.code, errorOf(none)['code']]).toEqual([1, 'unusable_database'])
    const latest = MIGRATIONS.at(-1)!.version
    {
      using db = new DatabaseSync(join(dataDir, 'hookline.db'))
      db.exec(`${MIGRATIONS[0]!.sql}; PRAGMA user_version = 1`)
    }
    expect(JSON.parse((await migrate()).stdout)).toEqual({ from: 1, to: latest })
    expect(existsSync(join(dataDir, 'hookline.db.schema-1.backup'))).toBe(true)
    const again = await run(['migrate', '--data-dir', dataDir])
    expect([again.code, again.stdout]).toEqual([0, `Schema ${latest}: nothing to do.\n`])
  })
})

describe('hookline completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('destinations')
    expect(stdout).toContain('--webhook')
  })

  it('completes in bash', async () => {
    const script = join(folder.path, 'completion.bash')
    writeFileSync(script, (await run(['completion', 'bash'])).stdout)
    const { execFileSync } = await import('node:child_process')
    const ask = `source ${script}; COMP_WORDS=(hookline sources cr); COMP_CWORD=2; _hookline; echo "$COMPREPLY"`
    expect(execFileSync('bash', ['-c', ask]).toString().trim()).toBe('create')
  })
})

describe('hookline restore', () => {
  it('refuses what is no backup, and a folder that holds a database', async () => {
    const dataDir = join(folder.path, 'restore')
    mkdirSync(dataDir)
    const file = join(folder.path, 'not-a-backup')
    writeFileSync(file, 'no database')
    const wrong = await run(['restore', file, '--data-dir', dataDir, '--json'])
    expect([wrong.code, errorOf(wrong)['code']]).toEqual([1, 'unusable_database'])
    const backup = join(folder.path, 'backup.db')
    await service.json('backup', backup)
    expect((await run(['restore', backup, '--data-dir', dataDir])).code).toBe(0)
    const again = await run(['restore', backup, '--data-dir', dataDir])
    expect([again.code, again.stderr.includes('--replace')]).toEqual([1, true])
    const replaced = await run(['restore', backup, '--data-dir', dataDir, '--replace'])
    expect([replaced.code, replaced.stderr.includes('before-restore')]).toEqual([0, true])
  })
})
