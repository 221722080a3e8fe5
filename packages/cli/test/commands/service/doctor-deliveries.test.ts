import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { type Run, run } from '@hookline/testing/cli/hookline'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

interface Report {
  readonly healthy: boolean
  readonly checks: readonly { readonly check: string; readonly ok: boolean }[]
}

/** Runs `hookline doctor` with the configuration of the service. */
function doctor(...args: readonly string[]): Promise<Run> {
  const { port } = new URL(service.url)
  const flags = ['--port', port, '--data-dir', dirname(service.tokenFile)]
  return run(['doctor', ...flags, ...args])
}

describe('hookline doctor, with a running service', () => {
  it('passes while the service is idle', async () => {
    const idle = await doctor('--json')
    const { healthy, checks } = JSON.parse(idle.stdout) as Report
    expect([idle.code, healthy]).toEqual([0, true])
    expect(checks.at(-1)).toEqual({ check: 'problems', ok: true, detail: 'no problems' })
  })

  it('fails for a destination that has never worked, and shows the cause and the remedy', async () => {
    const { destination } = await service.failingDestination()
    await expect
      .poll(async () => (await service.run('destinations', 'get', destination)).stdout)
      .toMatch(/^last hour +\d+ attempts?, 0 delivered/m)
    const { code, stdout, stderr } = await doctor()
    expect(code).toBe(8)
    expect(stdout).toMatch(
      /^✗ webhook_failing Webhooks: No attempt succeeded in the last hour \(\d+ failed\)\. .+ECONNREFUSED\)\.$/m,
    )
    expect(stdout).toMatch(/^ {4}→ Check that the receiver is running/m)
    expect(stdout).toContain(`hookline destinations get ${destination}`)
    expect(stderr).toContain('Failed checks: webhook_failing.')
  })

  it('passes with a warning for a destination that an operator paused', async () => {
    const { data } = await service.json<{ data: { id: string }[] }>('destinations', 'list')
    await service.json('destinations', 'pause', data[0]!.id)
    const { code, stdout } = await doctor()
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^! deliveries_held Webhooks: Paused by an operator\./m),
    ])
  })

  it('passes with a warning for calls with an unknown write key', async () => {
    const { code } = await service.run('send', 'track', 'E', '--user', 'u1', '--write-key', 'wrong')
    expect(code).not.toBe(0)
    const refused = await doctor()
    expect([refused.code, refused.stdout]).toEqual([
      0,
      expect.stringMatching(/^! write_key_unknown 1 call was refused, /m),
    ])
  })

  it('without the admin token, reports that problems were not checked', async () => {
    using folder = new TemporaryFolder()
    const { port } = new URL(service.url)
    const { code, stdout } = await run(['doctor', '--port', port, '--data-dir', folder.path])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^! problems +not checked: The token file/m),
    ])
  })
})
