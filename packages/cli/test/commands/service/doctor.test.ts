import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { ApiService } from '@hookline/testing/cli/api-service'
import { Hookline, run } from '@hookline/testing/cli/hookline'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline doctor', () => {
  it('exits 0 if every check passes, and 8 if one fails', async () => {
    const dataDir = join(folder.path, 'doctor')
    const flags = ['--data-dir', dataDir, '--port', '0']
    const healthy = await run(['doctor', ...flags, '--json'])
    expect(healthy.stderr).toBe('')
    expect([healthy.code, JSON.parse(healthy.stdout)]).toMatchObject([0, { healthy: true }])
    writeFileSync(join(dataDir, 'hookline.db'), 'this is not a database, although its name says so')
    const corrupted = await run(['doctor', ...flags])
    expect(corrupted.code).toBe(8)
    expect(corrupted.stdout).toMatch(/^✗ database/m)
    expect(corrupted.stderr).toContain('Failed checks: database.')
  })

  it('checks the service at HOOKLINE_URL, and fails if none responds', async () => {
    await using service = await ApiService.start()
    const dataDir = ['--data-dir', dirname(service.tokenFile)]
    const flags = ['--port', '0', '--json', ...dataDir]
    const healthy = await run(['doctor', ...flags], { env: { HOOKLINE_URL: service.url } })
    const { host } = new URL(service.url)
    expect([healthy.code, healthy.stdout]).toEqual([
      0,
      expect.stringContaining(`the service at ${host} is ready`),
    ])
    // Nothing listens on this port.
    const missing = await run(['doctor', ...flags], { env: { HOOKLINE_URL: 'http://127.0.0.1:2' } })
    expect([missing.code, missing.stdout]).toEqual([
      8,
      expect.stringContaining('no response from Hookline at http://127.0.0.1:2/'),
    ])
  })

  it('fails and names the start command if the service of a folder is not running', async () => {
    const port = String(await freePort())
    const flags = ['--data-dir', folder.path, '--port', port]
    const before = await run(['doctor', ...flags])
    expect([before.code, before.stdout]).toEqual([0, expect.stringContaining('not started yet')])
    await using service = new Hookline(['start', ...flags, '--json'])
    await service.document('ready')
    service.signal('SIGKILL')
    await service.exit()
    const { code, stdout, stderr } = await run(['doctor', ...flags])
    expect([code, stderr]).toEqual([8, expect.stringContaining('Failed checks: service.')])
    expect(stdout).toMatch(/^✗ service +not running: no response from /m)
    expect(stdout).toContain(`hookline start --data-dir ${folder.path} --port ${port}`)
    expect(stdout).not.toContain('problems')
  })

  it('fails and names a remedy if another program uses the port', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const found = await run(['doctor', '--data-dir', folder.path, '--port', String(port)])
    server.close()
    expect(found.code).toBe(8)
    expect(found.stdout).toMatch(
      new RegExp(`^✗ service +Port ${port} on 127.0.0.1 is in use by another program.`, 'm'),
    )
    expect(found.stdout).toContain('or choose another port with --port')
  })

  it('passes for a restored folder without a service if the port is 0', async () => {
    writeFileSync(join(folder.path, 'hookline.db'), '')
    const { stdout } = await run(['doctor', '--data-dir', folder.path, '--port', '0'])
    expect(stdout).toMatch(/^✓ service +not checked: port 0/m)
  })

  it('explains what to do about an invalid token', async () => {
    await using service = await ApiService.start()
    const env = { HOOKLINE_URL: service.url, HOOKLINE_ADMIN_TOKEN: 'tok_wrong' }
    const wrong = await run(['doctor', '--port', '0', '--data-dir', folder.path], { env })
    expect([wrong.code, wrong.stdout]).toEqual([
      8,
      expect.stringMatching(
        /✗ problems +Missing or invalid token\.\n {4}→ Pass the token .+--token-file/,
      ),
    ])
    const right = ['doctor', '--port', '0', '--token-file', service.tokenFile]
    expect((await run([...right, '--data-dir', folder.path], { env })).code).toBe(0)
  })

  it('checks no local folder if the service is on another machine', async () => {
    const env = { HOOKLINE_URL: 'http://hookline.invalid' }
    const { stdout } = await run(['doctor', '--json'], { cwd: folder.path, env })
    expect(stdout).toContain('the service is on another machine')
    expect(readdirSync(folder.path)).toEqual([])
  })
})
