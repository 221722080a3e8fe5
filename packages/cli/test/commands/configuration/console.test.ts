import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf } from '@hookline/testing/cli/hookline'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

/** Signs in like the page behind the link. */
function signIn(url: string): Promise<Response> {
  return fetch(`${service.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: new URL(url).hash.slice(1) }),
  })
}

describe('hookline console', () => {
  it('prints only a link to stdout, and the link signs in one browser, with the role of the token', async () => {
    const { code, stdout, stderr } = await service.run('console')
    const url = stdout.trim()
    expect([code, url.startsWith(`${service.url}/console/sign-in#`)]).toEqual([0, true])
    expect(stderr).toMatch(/^The link works once and expires at \d{4}-\S+Z\.\n$/)
    expect(stderr).not.toContain(new URL(url).hash)
    const first = await signIn(url)
    expect(first.status).toBe(201)
    expect(await first.json()).toMatchObject({ kind: 'session', role: 'admin' })
    expect((await signIn(url)).status).toBe(401)
  })

  it('prints one document with --json, and grants the requested role', async () => {
    const link = await service.json<{ url: string; expiresAt: string }>(
      'console',
      '--role',
      'viewer',
    )
    expect(Object.keys(link)).toEqual(['url', 'expiresAt'])
    const minutesLeft = (Date.parse(link.expiresAt) - Date.now()) / 60_000
    expect(minutesLeft).toBeGreaterThan(29)
    expect(minutesLeft).toBeLessThanOrEqual(30)
    expect(await (await signIn(link.url)).json()).toMatchObject({ role: 'viewer' })
  })

  it('refuses an unknown role', async () => {
    const failed = await service.run('console', '--role', 'owner', '--json')
    expect(failed.code).toBe(2)
    expect(errorOf(failed)).toMatchObject({ message: expect.stringContaining('viewer') as string })
  })
})
