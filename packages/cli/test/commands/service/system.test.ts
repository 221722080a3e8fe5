import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { run } from '@hookline/testing/cli/hookline'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start('--retention', '3d')
})
afterAll(() => service[Symbol.asyncDispose]())

interface System {
  readonly settings: readonly {
    readonly name: string
    readonly value: string | null
    readonly origin: object | null
  }[]
}

describe('hookline system', () => {
  it('shows the running service, and the settings that differ from the default', async () => {
    const { code, stdout, stderr } = await service.run('system')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^version +hookline \d/m)
    expect(stdout).toMatch(/^status +ok$/m)
    expect(stdout).toMatch(/^storage +[\d.]+ \w+ used; database .+, log .+ free$/m)
    expect(stdout).toMatch(/^events +0$/m)
    expect(stdout).toMatch(/^backlog +0 pending; 0 held$/m)
    expect(stdout).toMatch(/^retention +3d$/m)
    expect(stdout).toMatch(/^in progress +0 replays, 0 deletions$/m)
    expect(stdout).toMatch(/^retention +3d +--retention$/m)
    expect(stdout).not.toMatch(/^webhookQueueSize/m)
    expect(stdout).toMatch(/settings not shown; show all with --settings\.$/m)
    const all = await service.run('system', '--settings')
    expect(all.stdout).toMatch(/^webhookQueueSize +256 +default$/m)
  })

  it('includes the origin of each setting in its JSON', async () => {
    const { settings } = await service.json<System>('system')
    expect(settings.find(({ name }) => name === 'port')).toMatchObject({
      value: '0',
      origin: { kind: 'flag', name: '--port' },
    })
  })

  it('shows no paths or networks to a viewer', async () => {
    const folder = dirname(service.tokenFile)
    const args = ['wall', '--role', 'viewer']
    const { token } = await service.json<{ token: string }>('tokens', 'create', ...args)
    using own = new TemporaryFolder()
    const file = join(own.path, 'token')
    writeFileSync(file, token)
    const { code, stdout } = await run([
      'system',
      '--settings',
      '--url',
      service.url,
      '--token-file',
      file,
    ])
    expect([code, stdout]).toEqual([0, expect.not.stringContaining(folder)])
    expect(stdout).toMatch(/^dataDir +admins only/m)
    expect(stdout).not.toContain('127.0.0.0/8')
  })
})
