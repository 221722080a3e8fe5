import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf, run } from '@hookline/testing/cli/hookline'

describe('hookline sources', () => {
  let service: ApiService
  beforeAll(async () => {
    service = await ApiService.start()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('creates, updates, shows, lists and deletes a source', async () => {
    const source = await service.json<{ id: string }>('sources', 'create', 'Shop')
    expect(source).toMatchObject({
      id: expect.stringMatching(/^src_/),
      name: 'Shop',
      enabled: true,
      rateLimit: null,
      writeKeys: [{ key: expect.stringMatching(/^wk_/) }],
    })
    const changes = ['--name', 'Shop 2', '--rate-limit', '5', '--disabled']
    const changed = { ...source, name: 'Shop 2', rateLimit: 5, enabled: false }
    const { updatedAt: _updatedAt, version: _version, ...kept } = changed as Record<string, unknown>
    expect(await service.json('sources', 'update', source.id, ...changes)).toMatchObject(kept)
    expect(await service.json('sources', 'get', source.id)).toMatchObject(kept)
    expect(await service.json('sources', 'list')).toMatchObject({ data: [kept] })
    expect((await service.run('sources', 'list')).stdout).toMatch(
      /^id +name +enabled +rate limit +space +write keys +last used\nsrc_\S+ {2}Shop 2 +no +5 +default +wk_\S+ +never\n$/,
    )
    const none = ['--rate-limit', 'none', '--enabled']
    expect((await service.run('sources', 'update', source.id, ...none)).stdout).toMatch(
      /enabled +yes\nrate limit +none/,
    )
    expect(await service.json('sources', 'delete', source.id, '--yes')).toEqual({
      id: source.id,
      deleted: true,
    })
    expect((await service.run('sources', 'list')).stdout).toContain('hookline sources create')
  })

  it('changes only the field rules that are given as options', async () => {
    const { id } = await service.json<{ id: string }>('sources', 'create', 'A', '--drop', 'ssn')
    await service.json('sources', 'update', id, '--hash-email', 'traits.email')
    const { stdout } = await service.run('sources', 'update', id, '--drop', 'context.ip')
    expect(stdout).toMatch(/fields +without context\.ip; hashed: traits\.email\n/)
    expect(await service.json('sources', 'get', id)).toMatchObject({
      fields: {
        drop: ['context.ip'],
        hash: [{ path: 'traits.email', normalize: 'email' }],
        salt: { set: true },
      },
    })
    const removed = await service.run('sources', 'update', id, '--no-fields')
    expect(removed.stdout).toMatch(/fields +all\n/)
    await service.json('sources', 'delete', id, '--yes')
  })

  it('exits 4 for an unknown source', async () => {
    const failed = await service.run('sources', 'get', 'src_none', '--json')
    expect(failed.code).toBe(4)
    expect(errorOf(failed)).toEqual({
      code: 'not_found',
      message: 'Not found.',
      hint: 'No source has this id.',
      errors: [],
      exitCode: 4,
    })
  })

  it('exits 2 for a value that the service refuses, with the field and the remedy', async () => {
    const { code, stderr } = await service.run('sources', 'create', '')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^error: Invalid request body\.\n {2}\/name: name is too short\. \S.+\n$/,
    )
  })

  it('never sends the token of the default data folder to a remote service', async () => {
    for (const host of ['hookline.example', '127.0.0.1.hookline.example']) {
      const failed = await run(['sources', 'list', '--url', `http://${host}`])
      expect(failed.code).toBe(3)
      expect(failed.stderr).toContain(`No API token found for ${host}.`)
    }
  })

  it('exits 3 if the token is missing or invalid, and does not show it', async () => {
    const list = ['sources', 'list', '--url', service.url]
    const [without, wrong, unfit] = await Promise.all([
      run([...list, '--data-dir', '/nowhere']),
      run(list, { env: { HOOKLINE_ADMIN_TOKEN: 'tok_wrong' } }),
      run([...list, '--token-file', import.meta.filename]),
    ])
    expect([without.code, wrong.code, unfit.code]).toEqual([3, 3, 3])
    expect(without.stderr).toContain('The token file /nowhere/admin-token does not exist.')
    expect(wrong.stderr).toContain('--token-file')
    expect(wrong.stderr).not.toContain('tok_wrong')
    expect(unfit.stderr).not.toContain('import')
  })

  it('reads the token from the file in HOOKLINE_ADMIN_TOKEN_FILE, like the service', async () => {
    const env = { HOOKLINE_ADMIN_TOKEN_FILE: service.tokenFile }
    const listed = await run(['sources', 'list', '--url', service.url], { env })
    expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('exits 6 if nothing responds, and 1 if the URL is not the address of a service', async () => {
    const env = { HOOKLINE_ADMIN_TOKEN: 'tok_any' }
    const [nothing, other] = await Promise.all([
      run(['sources', 'list', '--url', 'http://127.0.0.1:1'], { env }),
      run(['sources', 'list', '--url', `${service.url}/v1/m`], { env }),
    ])
    expect(nothing.code).toBe(6)
    expect(nothing.stderr).toMatch(
      /Cannot reach the service at http:\/\/127\.0\.0\.1:1.*\n.*hookline dev/,
    )
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('Unexpected response with status')
  })

  it('add-key and remove-key change the write keys of a source', async () => {
    const { id: source } = await service.json<{ id: string }>('sources', 'create', 'Shop')
    const { key } = await service.json<{ key: string }>('sources', 'add-key', source)
    const keysOf = async (): Promise<string[]> => {
      const shown = await service.json<{ writeKeys: { key: string }[] }>('sources', 'get', source)
      return shown.writeKeys.map((each) => each.key)
    }
    expect(await keysOf()).toContain(key)
    expect((await service.run('sources', 'get', source)).stdout).toMatch(/^last used +never$/m)
    await service.run('sources', 'remove-key', source, key, '--yes')
    expect(await keysOf()).not.toContain(key)
    const [kept] = await keysOf()
    for (const none of ['..', '.', '%2e%2e', key]) {
      const { code, stderr } = await service.run('sources', 'remove-key', source, none, '--yes')
      expect([code, stderr]).toEqual([4, expect.stringContaining('has no such write key')])
    }
    expect(await keysOf()).toEqual([kept])
  })
})
