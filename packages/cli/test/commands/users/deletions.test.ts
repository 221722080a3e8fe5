import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline delete-user, deletions and suppressions', () => {
  it('delete users, show the progress and the receipt, and end a suppression', async () => {
    const deletion = await service.json<{ id: string }>(
      'delete-user',
      'u1',
      'u2',
      '--suppress',
      '--yes',
    )
    expect(await service.json('deletions', 'list')).toMatchObject({ data: [{ id: deletion.id }] })
    await expect
      .poll(async () => (await service.run('deletions', 'get', deletion.id)).stdout)
      .toMatch(/^state +finished$/m)
    expect(await service.json('suppressions', 'list')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ userId: 'u1' })]),
    })
    const lost = await service.run('trace', 'm-of-u1')
    expect([lost.code, lost.stderr.includes('events why-missing --user')]).toEqual([4, true])
    await service.run('suppressions', 'delete', 'u1')
    await service.run('suppressions', 'delete', 'u2')
    expect(await service.json('suppressions', 'list')).toEqual({ data: [], nextCursor: null })
    const receipt = await service.run('deletions', 'get', deletion.id, '--receipt')
    expect(JSON.parse(receipt.stdout)).toMatchObject({ signature: { algorithm: 'Ed25519' } })
  })

  it('delete users and end a suppression by anonymousId', async () => {
    const args = ['--anonymous-id', 'a1', 'a2', '--suppress']
    const deletion = await service.json<{ id: string }>('delete-user', ...args, '--yes')
    await expect
      .poll(async () => (await service.run('deletions', 'get', deletion.id)).stdout)
      .toMatch(/^state +finished$/m)
    const get = () => service.json('suppressions', 'list', '--anonymous', 'a1')
    expect(await get()).toMatchObject({ data: [{ userId: null, anonymousId: 'a1' }] })
    const ended = await service.json('suppressions', 'delete', 'a1', '--anonymous')
    expect(ended).toEqual({ anonymousId: 'a1', deleted: true })
    expect(await get()).toEqual({ data: [], nextCursor: null })
    const nobody = await service.run('delete-user')
    expect([nobody.code, nobody.stderr.includes('--anonymous-id')]).toEqual([2, true])
  })
})
