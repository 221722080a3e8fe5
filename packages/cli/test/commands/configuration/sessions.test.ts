import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline sessions', () => {
  it('lists signed-in browsers, and signs one out', async () => {
    expect((await service.run('sessions', 'list')).stdout).toContain('No sessions.')
    const { token } = await service.json<{ token: string }>(
      'tokens',
      'create',
      'Ada',
      '--role',
      'viewer',
    )
    const signedIn = await fetch(`${service.url}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    const { id } = (await signedIn.json()) as { id: string }
    const current = () => fetch(`${service.url}/api/v1/session`, { headers: { cookie } })
    expect((await current()).status).toBe(200)
    const listed = await service.run('sessions', 'list')
    expect(listed.stdout).toMatch(new RegExp(`${id} +Ada +viewer`))
    await service.json('sessions', 'end', id)
    expect((await current()).status).toBe(401)
    const again = await service.run('sessions', 'end', id)
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('No session')])
  })
})
