import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { run } from '@hookline/testing/cli/hookline'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

interface Shown {
  readonly id: string
  readonly settings: { readonly webhooks: object[]; readonly signingKeys: { publicKey: string }[] }
}

let service: ApiService
let create: string[]
async function secretOf(): Promise<string> {
  const { stdout } = await run(['secrets', 'generate', '--json'])
  return (JSON.parse(stdout) as { secret: string }).secret
}
beforeAll(async () => {
  service = await ApiService.start()
  const { id } = await service.json<{ id: string }>('sources', 'create', 'Shop')
  create = ['destinations', 'create', '--source', id]
})
afterAll(() => service[Symbol.asyncDispose]())

it('secrets generate prints a new 32-byte secret each time', async () => {
  const { stdout } = await run(['secrets', 'generate'])
  expect(stdout).toMatch(/^whsec_[\w+/]{43}=\n$/)
  expect(await secretOf()).not.toBe(stdout.trim())
})

it('each webhook gets a webhook secret, which can be rotated', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'secret')
  // Editors on Windows add a byte order mark.
  writeFileSync(file, `\uFEFF${await secretOf()}\n`)
  const [a, b] = ['https://example.com/a', 'https://example.com/b']
  const first = ['--webhook', a, '--webhook-secret', await secretOf()]
  const flags = [...first, '--webhook', b, '--webhook-secret-file', file]
  const created = await service.json<Shown>(...create, ...flags)
  expect(created.settings.webhooks).toMatchObject([
    { secret: { set: true } },
    { secret: { set: true } },
  ])
  const next = ['--webhook', b, '--secret', await secretOf()]
  const rotated = await service.json<Shown>('destinations', 'rotate-secret', created.id, ...next)
  expect(rotated.settings.webhooks[1]).toMatchObject({
    secret: { previousUntil: expect.stringMatching(/^2/) as string },
  })
  const again = ['--webhook', b, '--secret', await secretOf()]
  const refused = await service.run('destinations', 'rotate-secret', created.id, ...again)
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('force the rotation')])
  await service.json('destinations', 'rotate-secret', created.id, ...again, '--force')
  const shown = await service.run('destinations', 'get', created.id)
  expect(shown.stdout).toMatch(/webhook +https:\/\/example\.com\/b \(with a webhook secret\)/)
  expect(shown.stdout).toMatch(/^shared secret +none$/m)
  const early = await service.run(...create, '--webhook-secret', 'x')
  expect([early.code, early.stderr]).toEqual([
    2,
    expect.stringContaining('--webhook-secret must come after its --webhook'),
  ])
})

it('a short secret causes a warning', async () => {
  const flags = ['--webhook', 'https://example.com/', '--secret', 'too short']
  const { code, stderr } = await service.run(...create, ...flags)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/only 9 bytes[^]*secrets generate/)])
})

it('the public keys are shown, and can be rotated', async () => {
  const flags = ['--webhook', 'https://example.com/', '--signature', 'both']
  const { id, settings } = await service.json<Shown>(...create, ...flags)
  const rotate = ['destinations', 'rotate-key', id, '--lead', '2d', '--overlap', '1h']
  const rotated = await service.json<Shown>(...rotate)
  const [old, next] = rotated.settings.signingKeys
  expect(old!.publicKey).toBe(settings.signingKeys[0]!.publicKey)
  const shown = (await service.run('destinations', 'get', id)).stdout
  expect(shown).toMatch(/^signature +both$/m)
  expect(shown).toMatch(/^shared secret +none$/m)
  expect(shown).toContain(`${old!.publicKey}, signs until 2`)
  expect(shown).toContain(`${next!.publicKey}, signs from 2`)
  expect((await service.run('destinations', 'rotate-key', id)).code).toBe(1)
  await service.json('destinations', 'rotate-key', id, '--force')
})
