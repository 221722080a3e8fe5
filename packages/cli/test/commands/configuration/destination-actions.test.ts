import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf } from '@hookline/testing/cli/hookline'

let service: ApiService
let source: string
beforeAll(async () => {
  service = await ApiService.start()
  source = (await service.json<{ id: string }>('sources', 'create', 'Shop')).id
})
afterAll(() => service[Symbol.asyncDispose]())

async function destinationTo(...urls: readonly string[]): Promise<string> {
  const webhooks = urls.flatMap((url) => ['--webhook', url])
  const create = ['destinations', 'create', '--source', source, '--secret', 's3cret']
  return (await service.json<{ id: string }>(...create, ...webhooks)).id
}

describe('hookline destinations', () => {
  it('pause holds deliveries, and resume ends the pause', async () => {
    const id = await destinationTo('https://example.com/')
    const paused = await service.json('destinations', 'pause', id)
    expect(paused).toMatchObject({ paused: { reason: 'operator' } })
    expect((await service.run('destinations', 'get', id)).stdout).toMatch(/^paused +since 2/m)
    expect(await service.json('destinations', 'resume', id)).toMatchObject({ paused: null })
    const unknown = await service.run('destinations', 'pause', 'dst_none', '--json')
    expect([unknown.code, errorOf(unknown)['code']]).toEqual([4, 'not_found'])
  })

  it('get shows the health of each webhook, and close-breaker triggers the next attempts immediately', async () => {
    await using receiver = await openReceiver({
      respond: [{ status: 429, headers: { 'Retry-After': '3600' } }, 200],
    })
    const { destination, writeKey } = await service.failingDestination()
    await service.json('destinations', 'update', destination, '--webhook', receiver.url)
    await service.json('send', 'track', 'E', '--user', 'u1', '--write-key', writeKey)
    const shown = async () => (await service.run('destinations', 'get', destination)).stdout
    await expect
      .poll(shown)
      .toMatch(
        /^ {2}next attempt +2\S+: the receiver sent Retry-After, or the token request failed$/m,
      )
    expect(await shown()).toMatch(/^ {2}breaker +closed$/m)
    expect(await shown()).toMatch(/^last hour +\d+ attempts, 0 delivered \(0%\)$/m)
    expect(await service.json('destinations', 'close-breaker', destination)).toMatchObject({
      id: destination,
    })
    await expect.poll(shown).not.toContain('Retry-After')
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(1)
  })

  it('test shows the request and response of each webhook, and its exit code depends on how many accepted it', async () => {
    await using good = await openReceiver({ respond: { status: 200, body: 'thanks' } })
    await using bad = await openReceiver({ respond: 404 })
    const id = await destinationTo(good.url)
    const well = await service.run('destinations', 'test', id, '--type', 'identify')
    expect(well.code).toBe(0)
    expect(well.stdout).toContain(`POST ${good.url}\n`)
    expect(well.stdout).toContain('"type":"identify"')
    expect(well.stdout).toMatch(/X-Signature: [0-9a-f]{40}/)
    expect(well.stdout).toMatch(/#1 200 in \d+ ms/)
    expect(well.stdout).toContain('thanks')
    expect(good.requests).toHaveLength(1)

    const dry = await service.run('destinations', 'test', id, '--dry-run')
    expect([dry.code, dry.stdout.includes('would be sent')]).toEqual([0, true])
    expect(good.requests).toHaveLength(1)

    const both = await destinationTo(good.url, bad.url)
    const partly = await service.run('destinations', 'test', both)
    expect([
      partly.code,
      partly.stderr.includes('1 of 2 webhooks did not accept the test delivery.'),
    ]).toEqual([7, true])
    const none = await service.run('destinations', 'test', await destinationTo(bad.url))
    expect([none.code, none.stdout.includes('404')]).toEqual([1, true])
  })

  it('rotate-secret replaces the secret without showing it', async () => {
    const id = await destinationTo('https://example.com/')
    const flags = ['--secret', 'another secret', '--overlap', '2']
    const { settings } = await service.json<{ settings: { sharedSecret: object } }>(
      'destinations',
      'rotate-secret',
      id,
      ...flags,
    )
    expect(settings.sharedSecret).toMatchObject({
      last4: 'cret',
      previousUntil: expect.stringMatching(/^2/),
    })
    const without = await service.run('destinations', 'rotate-secret', id)
    expect([without.code, without.stderr.includes('--secret-file')]).toEqual([2, true])
    const wrong = await service.run(
      'destinations',
      'rotate-secret',
      id,
      '--secret',
      'x',
      '--overlap',
      'y',
    )
    expect(wrong.code).toBe(2)
  })
})
