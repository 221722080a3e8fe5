import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '../../harness/api-service.ts'
import { errorOf } from '../../harness/error-of.ts'
import { run } from '../../harness/hookline.ts'

describe('hookline sources', () => {
  let service: ApiService
  beforeAll(async () => {
    service = await ApiService.start()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  it('makes, changes, shows, lists and deletes a source', async () => {
    const made = await service.json<{ id: string }>('sources', 'create', 'Shop')
    expect(made).toMatchObject({
      id: expect.stringMatching(/^src_/),
      name: 'Shop',
      enabled: true,
      rateLimit: null,
      writeKeys: [{ key: expect.stringMatching(/^wk_/) }],
    })
    const changes = ['--name', 'Shop 2', '--rate-limit', '5', '--no-enabled']
    const changed = { ...made, name: 'Shop 2', rateLimit: 5, enabled: false }
    const { updatedAt: _updatedAt, version: _version, ...kept } = changed as Record<string, unknown>
    expect(await service.json('sources', 'update', made.id, ...changes)).toMatchObject(kept)
    expect(await service.json('sources', 'get', made.id)).toMatchObject(kept)
    expect(await service.json('sources', 'list')).toMatchObject({ data: [kept] })
    expect((await service.run('sources', 'list')).stdout).toMatch(
      /^id +name +enabled +rate limit +write keys +last used\nsrc_\S+ {2}Shop 2 +no +5 +wk_\S+ +never\n$/,
    )
    const none = ['--rate-limit', 'none', '--enabled']
    expect((await service.run('sources', 'update', made.id, ...none)).stdout).toMatch(
      /enabled +yes\nrate limit +none/,
    )
    expect(await service.json('sources', 'delete', made.id)).toEqual({ id: made.id, deleted: true })
    expect((await service.run('sources', 'list')).stdout).toContain('hookline sources create')
  })

  it('exits 4 for a source that is not there', async () => {
    const failed = await service.run('sources', 'get', 'src_none', '--json')
    expect(failed.code).toBe(4)
    expect(errorOf(failed)).toEqual({
      code: 'not_found',
      message: expect.any(String),
      hint: 'No source has this id.',
      errors: [],
      exitCode: 4,
    })
  })

  it('exits 1 and names what the service refused, with the remedy', async () => {
    const { code, stderr } = await service.run('sources', 'create', '')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: The body has faults\.\n {2}\/name: \S.+\n$/)
  })

  it('sends the token in the data folder to no service but one on this machine, unless told to', async () => {
    for (const host of ['hookline.example', '127.0.0.1.hookline.example']) {
      const failed = await run(['sources', 'list', '--url', `http://${host}`])
      expect(failed.code).toBe(3)
      expect(failed.stderr).toContain(`The token for ${host} is not set.`)
    }
  })

  it('exits 3 without a token or with a wrong one, and never shows it', async () => {
    const list = ['sources', 'list', '--url', service.url]
    const [without, wrong, unfit] = await Promise.all([
      run([...list, '--data-dir', '/nowhere']),
      run(list, { env: { HOOKLINE_ADMIN_TOKEN: 'tok_wrong' } }),
      run([...list, '--token-file', import.meta.filename]),
    ])
    expect([without.code, wrong.code, unfit.code]).toEqual([3, 3, 3])
    expect(without.stderr).toContain('The admin token is not in /nowhere/admin-token.')
    expect(wrong.stderr).toContain('--token-file')
    expect(wrong.stderr).not.toContain('tok_wrong')
    expect(unfit.stderr).not.toContain('import')
  })

  it('exits 6 where nothing answers, and 1 where something else does', async () => {
    const env = { HOOKLINE_ADMIN_TOKEN: 'tok_any' }
    const [nothing, other] = await Promise.all([
      run(['sources', 'list', '--url', 'http://127.0.0.1:1'], { env }),
      run(['sources', 'list', '--url', `${service.url}/v1/m`], { env }),
    ])
    expect(nothing.code).toBe(6)
    expect(nothing.stderr).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:1.*\n.*hookline dev/)
    expect(other.code).toBe(1)
    expect(other.stderr).toContain('Something else than Hookline')
  })
})
