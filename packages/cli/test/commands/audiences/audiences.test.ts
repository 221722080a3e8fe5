import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'

interface Shown {
  readonly id: string
  readonly key: string
  readonly state: string
  readonly size: number
}

let service: ApiService
let folder: TemporaryFolder
let writeKey: string
beforeAll(async () => {
  folder = new TemporaryFolder()
  service = await ApiService.start()
  const source = await service.json<{ writeKeys: { key: string }[] }>('sources', 'create', 'Shop')
  writeKey = source.writeKeys[0]!.key
  const user = ['--user', 'u1', '--write-key', writeKey]
  await service.json('send', 'identify', ...user, '-t', 'plan=pro')
  await service.json('send', 'track', 'Order', ...user, '-p', 'total=40')
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Writes a file and returns its path. */
function file(name: string, content: object | string): string {
  const path = join(folder.path, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const condition = (): string =>
  file('condition.json', {
    and: [{ trait: 'plan', op: 'equals', value: 'pro' }, { event: 'Order' }],
  })

async function untilSize(command: 'audiences' | 'traits', id: string, size: number): Promise<void> {
  await eventually(async () => {
    expect(await service.json<Shown>(command, 'get', id)).toMatchObject({ state: 'live', size })
  }, 200)
}

describe('hookline audiences', () => {
  it('creates an audience, explains who belongs to it, and deletes it', async () => {
    const created = await service.json<Shown>(
      'audiences',
      'create',
      'Pros',
      '--condition',
      condition(),
    )
    expect(created).toMatchObject({ key: 'pros', state: 'preparing' })
    await untilSize('audiences', created.id, 1)
    expect((await service.run('audiences', 'list')).stdout).toMatch(
      /^id +name +key +space +state +users +destinations\naud_\S+ +Pros +pros +default +live +1 +0\n$/,
    )
    const { stdout } = await service.run('audiences', 'get', created.id)
    expect(stdout).toMatch(/^last sync +done \S+, took/m)
    expect(stdout).toMatch(/^destinations +none$/m)
    expect((await service.run('audiences', 'members', created.id)).stdout).toMatch(
      /^user +since\nu1 +\S+\n$/,
    )
    const explained = await service.run('audiences', 'explain', created.id, 'u1')
    expect(explained.stdout).toMatch(/^u1 has been in the audience since \S+\n {2}✓ and\n {4}✓ \{/)
    expect(explained.stdout).toContain('{"event":"Order"}  count 1')
    expect(explained.stdout).toContain('value "pro"')
    const profile = await service.run('profiles', 'get', 'u1')
    expect(profile.stdout).toMatch(/^trait +value +set at +source +event\nplan +"pro" +/m)
    expect(profile.stdout).toMatch(/^Pros +aud_\S+ +\S+$/m)
    expect(await service.json('audiences', 'delete', created.id, '--yes')).toEqual({
      id: created.id,
      deleted: true,
    })
    expect((await service.run('audiences', 'list')).stdout).toContain('hookline audiences create')
  })

  it('previews a condition, and a dry run changes nothing', async () => {
    const preview = await service.run('audiences', 'preview', '--condition', condition())
    expect(preview.stdout).toMatch(/^1 user\n {2}u1\n/)
    const args = ['audiences', 'create', 'Tried', '--condition', condition(), '--dry-run']
    expect(await service.json(...args)).toMatchObject({
      dryRun: true,
      body: { name: 'Tried', destinationIds: [] },
      preview: { size: 1 },
    })
    expect(await service.json('audiences', 'list')).toEqual({ data: [], nextCursor: null })
    const wrong = file('wrong.json', { trait: 'plan', op: 'is' })
    const refused = await service.run('audiences', 'preview', '--condition', wrong)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/^ {2}\/condition\/op: \S/m)
  })

  it('creates, previews and changes an audience with options', async () => {
    const buyers = ['--event', 'Order', '--where', 'properties.total>=40', '--count', '>=1']
    expect((await service.run('audiences', 'preview', ...buyers)).stdout).toMatch(/^1 user\n/)
    const { id } = await service.json<Shown>('audiences', 'create', 'Buyers', ...buyers)
    await untilSize('audiences', id, 1)
    const changed = await service.json('audiences', 'update', id, '--where', 'traits.plan=free')
    expect(changed).toMatchObject({ condition: { trait: 'plan', op: 'equals', value: 'free' } })
    await untilSize('audiences', id, 0)
    const none = await service.run('audiences', 'preview')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('Pass --condition')])
    await service.json('audiences', 'delete', id, '--yes')
  })

  it('exits 2 for a missing file, or one without a JSON object', async () => {
    const missing = await service.run('audiences', 'preview', '--condition', '/nowhere')
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('ENOENT')])
    const text = file('text.json', 'planted text')
    const unfit = await service.run('audiences', 'preview', '--condition', text)
    expect([unfit.code, unfit.stderr]).toEqual([2, expect.stringContaining('no')])
    expect(unfit.stderr).not.toContain('planted')
  })

  it('imports the list of a manual audience, and reports invalid lines', async () => {
    const { id } = await service.json<Shown>('audiences', 'create', 'Team', '--manual')
    const users = file('users.csv', 'name,userId\nAda,u1\nBo,u2\nCy,u3\n')
    expect(await service.json('audiences', 'import', id, users)).toMatchObject({
      complete: true,
      users: 3,
      rejected: 0,
    })
    await untilSize('audiences', id, 3)
    const replacing = file('users.ndjson', '{"userId":"u1"}\n"u4"\n')
    const replaced = await service.run('audiences', 'import', id, replacing, '--replace', '--yes')
    expect(replaced.stdout).toMatch(/^Added 2 users, removed 2 others in \d+ s\.\n$/)
    await untilSize('audiences', id, 2)
    const empty = await service.run(
      'audiences',
      'import',
      id,
      file('empty.csv', ''),
      '--replace',
      '--yes',
    )
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('is empty')])
    const wrong = file('wrong.csv', 'u5\n"u6\n')
    const failed = await service.run('audiences', 'import', id, wrong)
    expect(failed.code).toBe(7)
    expect(failed.stderr).toContain('1 line was rejected.')
    expect(JSON.parse(readFileSync(`${wrong}.rejected.ndjson`, 'utf8'))).toMatchObject({
      lineNumber: 2,
      code: 'invalid_csv',
    })
  })
})

describe('hookline traits', () => {
  it('creates, changes, explains and deletes a computed trait', async () => {
    const compute = file('compute.json', { fn: 'sum', event: 'Order', property: 'total' })
    const { id } = await service.json<Shown>('traits', 'create', 'Spent', '--compute', compute)
    await untilSize('traits', id, 1)
    const dryRun = [
      '--fn',
      'sum',
      '--event',
      'Order',
      '--property',
      'properties.total',
      '--dry-run',
    ]
    expect(await service.json('traits', 'update', id, ...dryRun)).toMatchObject({
      body: { compute: { fn: 'sum', event: 'Order', property: 'total' } },
      preview: { size: 1 },
    })
    expect((await service.run('traits', 'values', id)).stdout).toMatch(
      /^user +value +since\nu1 +40 +\S+\n$/,
    )
    expect((await service.run('traits', 'explain', id, 'u1')).stdout).toMatch(
      /^u1: 40 since \S+, from 1 event\n$/,
    )
    const changed = await service.json('traits', 'update', id, '--name', 'Total', '--disabled')
    expect(changed).toMatchObject({ name: 'Total', key: 'spent', state: 'disabled' })
    const sync = await service.run('traits', 'sync', id)
    expect([sync.code, sync.stderr]).toEqual([1, expect.stringContaining('disabled')])
    await service.json('traits', 'update', id, '--enabled')
    expect((await service.run('traits', 'sync', id)).stdout).toMatch(/^Sync syn_\S+ is \w+\.\n$/)
    const afterDeletion = await service.run('traits', 'delete', id, '--announce', '--yes')
    expect(afterDeletion.stdout).toContain('will be deleted after its destinations are notified.')
    await eventually(async () => {
      expect((await service.run('traits', 'get', id)).code).toBe(4)
    }, 200)
  })
})

describe('hookline profiles', () => {
  it('lists the users, as does `users list`', async () => {
    const compute = file('count.json', { fn: 'count', event: 'Order' })
    const { id } = await service.json<Shown>('traits', 'create', 'Orders', '--compute', compute)
    await untilSize('traits', id, 1)
    const listed = await service.json<{ data: object[] }>('users', 'list')
    expect(listed.data).toContainEqual(expect.objectContaining({ userIds: ['u1'] }))
    expect(await service.json('profiles', 'list')).toEqual(listed)
    expect((await service.run('users', 'list', '--limit', '1')).stdout).toMatch(/^user +email/)
    expect((await service.run('users', 'get', 'u1')).stdout).toMatch(/^user +u1$/m)
    await service.json('traits', 'delete', id, '--yes')
  })

  it('exits 4 for an unknown user', async () => {
    const unknown = await service.run('profiles', 'get', 'nobody')
    expect([unknown.code, unknown.stderr]).toEqual([4, expect.stringContaining('profile')])
  })
})
