import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf, run } from '@hookline/testing/cli/hookline'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline tokens', () => {
  it('creates a token that is shown once, has the rights of its role, and can be deleted', async () => {
    const created = await service.json<{ id: string; token: string }>(
      'tokens',
      'create',
      'ci',
      '--role',
      'viewer',
    )
    const env = { HOOKLINE_URL: service.url, HOOKLINE_ADMIN_TOKEN: created.token }
    expect((await run(['sources', 'list'], { env })).code).toBe(0)
    const refused = await run(['sources', 'create', 'x', '--json'], { env })
    expect([refused.code, errorOf(refused)['code']]).toEqual([3, 'forbidden'])
    const listed = await service.run('tokens', 'list')
    expect(listed.stdout).toContain(created.id)
    expect(listed.stdout).not.toContain(created.token)
    await service.json('tokens', 'delete', created.id, '--yes')
    expect((await run(['sources', 'list'], { env })).code).toBe(3)
  })
})
