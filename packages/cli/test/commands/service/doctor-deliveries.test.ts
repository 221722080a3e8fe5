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

async function sendMore(writeKey: string, count: number): Promise<void> {
  const batch = Array.from({ length: count }, () => ({ type: 'track', userId: 'u1', event: 'E' }))
  const credentials = Buffer.from(`${writeKey}:`).toString('base64')
  const response = await fetch(`${service.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

describe('hookline doctor, with a running service', () => {
  it('passes while the service is idle, and fails when nothing arrives at a webhook', async () => {
    const idle = await doctor('--json')
    const { healthy, checks } = JSON.parse(idle.stdout) as Report
    expect([idle.code, healthy]).toEqual([0, true])
    expect(checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['breakers', 'webhooks', 'backlog', 'success rate', 'held']),
    )

    const { destination, writeKey } = await service.failingDestination()
    await sendMore(writeKey, 9)
    await expect
      .poll(async () => (await service.run('destinations', 'get', destination)).stdout)
      .toMatch(/^ {2}breaker +(half )?open since 2[^]*10 pending, oldest waiting for/m)
    const { code, stdout, stderr } = await doctor()
    expect(code).toBe(8)
    expect(stdout).toMatch(/^✗ breakers +1 webhook with an open breaker$/m)
    expect(stdout).toMatch(/open since 2\S+(, next attempt 2\S+|: .+); 10 pending$/m)
    expect(stdout).toMatch(/^✗ success rate last hour: 1\d attempts, 0 delivered \(0%\)/m)
    expect(stdout).toContain(`(${destination})`)
    expect(stderr).toContain('Failed checks: breakers, success rate.')
  })

  it('reports that deliveries are not checked without the admin token', async () => {
    using folder = new TemporaryFolder()
    const { port } = new URL(service.url)
    const { code, stdout } = await run(['doctor', '--port', port, '--data-dir', folder.path])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^! deliveries +not checked: The admin token file/m),
    ])
  })
})
