import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { sendAsPasted } from '@hookline/testing/cli/send-as-pasted'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { errorOf, hasTerminals, Hookline, run } from '@hookline/testing/cli/hookline'

interface Ready {
  readonly url: string
  readonly dataDir: string
  readonly tokenFile: string | null
}

function dataFolder(): string {
  const folder = new TemporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  return folder.path
}

describe('hookline start', () => {
  it('serves until SIGTERM, shows a new admin token once, and exits 0 with the signal in the log', async () => {
    const dataDir = dataFolder()
    const args = ['start', '--port', '0', '--data-dir', dataDir, '--json']
    await using first = new Hookline(args)
    const ready = await first.document<Ready>('ready')
    expect(ready).toMatchObject({ dataDir, tokenFile: join(dataDir, 'admin-token') })
    expect((await fetch(`${ready.url}/readyz`)).status).toBe(200)
    // Unlike `hookline dev`, it requires a token.
    expect((await fetch(`${ready.url}/api/v1/session`)).status).toBe(401)
    first.signal('SIGTERM')
    expect(await first.exit()).toBe(0)
    const token = readFileSync(ready.tokenFile!, 'utf8').trim()
    expect(first.stderr.split(token)).toHaveLength(2)
    expect(first.stdout).not.toContain(token)
    expect(await first.document('stopped')).toEqual({ kind: 'stopped', reason: 'SIGTERM' })
    expect(JSON.parse(first.stderr.trim().split('\n').at(-1)!)).toMatchObject({
      msg: 'service.stopped',
      reason: 'SIGTERM',
    })

    await using second = new Hookline(args)
    await second.document('ready')
    second.signal('SIGINT')
    expect(await second.exit()).toBe(0)
    expect(second.stderr).not.toContain(token)
  })

  it('prints and logs the URLs of its pages, on adminPort if it is set', async () => {
    const ports = ['--port', '0', '--admin-port', '0', '--host', '0.0.0.0']
    await using service = new Hookline(['start', ...ports, '--data-dir', dataFolder(), '--json'])
    const { adminUrl, ...ready } = await service.document<Ready & { adminUrl: string }>('ready')
    const pages = { console: `${adminUrl}/console/`, apiReference: `${adminUrl}/api/docs` }
    expect(ready).toMatchObject(pages)
    const [line] = await service.printed(/^.*service.listening.*$/m, 'stderr')
    expect(JSON.parse(line)).toMatchObject(pages)
    for (const url of Object.values(pages)) {
      const { status } = await fetch(url, { headers: { accept: 'text/html' } })
      expect([url, status]).toEqual([url, 200])
    }
    service.signal('SIGTERM')
    expect(await service.exit()).toBe(0)
  })

  it('logs one line with its addresses, and the settings that differ from their default, without secrets', async () => {
    const dataDir = dataFolder()
    const args = ['start', '--port', '0', '--data-dir', dataDir, '--log-level', 'info', '--json']
    const env = { HOOKLINE_ADMIN_TOKEN: 'tok_planted-secret', HOOKLINE_RETENTION: '600000000' }
    await using service = new Hookline(args, { env })
    const { url } = await service.document<Ready>('ready')
    const [line] = await service.printed(/.*service\.listening.*/, 'stderr')
    expect(JSON.parse(line)).toMatchObject({
      url,
      adminUrl: url,
      dataDir,
      version: expect.stringMatching(/^\d+\.\d+/) as string,
      settings: { port: '0', adminToken: 'hidden', retentionMs: '600000000' },
    })
    expect(line).not.toContain('planted-secret')
    expect(line).not.toContain('logLevel')
  })

  it('shows a sign-in link that works once, if stdout is a terminal', async ({ skip }) => {
    if (!hasTerminals()) skipOrFail('script of util-linux', 'HOOKLINE_REQUIRE_DEPLOY', skip)
    const args = ['start', '--port', '0', '--data-dir', dataFolder()]
    await using service = new Hookline(args, { onTerminal: true })
    const [, url, code] = await service.printed(/(http:\S+)\/console\/sign-in#([\w-]+)/)
    await service.printed(/works once, within 30 minutes. `hookline console` prints another/)
    const signIn = async (): Promise<number> => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ code })
      return (await fetch(`${url}/api/v1/sessions`, { method: 'POST', headers, body })).status
    }
    expect([await signIn(), await signIn()]).toEqual([201, 401])
  })

  it('shows the command that creates a sign-in link, not a link, if its output may be stored', async () => {
    const args = ['start', '--port', '0', '--data-dir', dataFolder(), '--json']
    await using service = new Hookline(args)
    await service.document('ready')
    service.signal('SIGTERM')
    expect(await service.exit()).toBe(0)
    expect(service.stdout + service.stderr).not.toContain('sign-in#')
    const [line] = await service.printed(/.*service\.listening.*/, 'stderr')
    expect(JSON.parse(line)).toMatchObject({ note: expect.stringContaining('`hookline console`') })
  })

  it('continues when stdout is full', async () => {
    const stdoutFd = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(stdoutFd))
    const args = ['start', '--port', '0', '--data-dir', dataFolder(), '--json']
    await using service = new Hookline(args, { stdoutFd })
    const [, url] = await service.printed(/"url":"([^"]+)"/, 'stderr')
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    service.signal('SIGTERM')
    expect(await service.exit()).toBe(0)
    expect(service.stderr).toMatch(/"msg":"service.stopped"\}\n$/)
  })

  it('logs the error that crashes it, and exits 1', async () => {
    const plant = `process.once('SIGUSR2', () => { throw new Error('planted') })`
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(plant)}`]
    const args = ['start', '--port', '0', '--data-dir', dataFolder(), '--json']
    await using service = new Hookline(args, { nodeArgs })
    await service.document('ready')
    service.signal('SIGUSR2')
    expect(await service.exit()).toBe(1)
    expect(JSON.parse(service.stderr.trim().split('\n').at(-1)!)).toMatchObject({
      msg: 'service.crashed',
      err: { message: 'planted' },
    })
  })

  it('gives flags precedence over variables, and shows no secrets', async () => {
    const env = { HOOKLINE_PORT: '1', HOOKLINE_ADMIN_TOKEN: 'tok_geheim', HOOKLINE_HOST: '::1' }
    const flags = ['--port', '0', '--data-dir', dataFolder(), '--json']
    await using service = new Hookline(['start', ...flags], { env })
    const { url, tokenFile } = await service.document<Ready>('ready')
    expect(url).toMatch(/^http:\/\/\[::1\]:\d{4,}$/)
    expect(tokenFile).toBeNull()
    const headers = { authorization: 'Bearer tok_geheim' }
    expect((await fetch(`${url}/api/v1/sources`, { headers })).status).toBe(200)
    service.signal('SIGTERM')
    expect(await service.exit()).toBe(0)
    expect(service.stdout + service.stderr).not.toContain('geheim')
  })

  it('exits 2 and reports all errors in the configuration together', async () => {
    const { code, stderr } = await run(['start', '--port', 'x', '--retry-window', '1x'], {
      env: { HOOKLINE_PROT: '1', HOOKLINE_ADMIN_TOKEN: '' },
    })
    expect(code).toBe(2)
    expect(stderr).toContain('--port must be')
    expect(stderr).toContain('--retry-window must be')
    expect(stderr).toContain('HOOKLINE_ADMIN_TOKEN must be')
    expect(stderr).toContain('HOOKLINE_PROT is not a setting; did you mean HOOKLINE_PORT?')
  })

  it('reports that another process uses the data folder', async () => {
    const dataDir = dataFolder()
    const flags = ['--port', '0', '--data-dir', dataDir]
    await using first = new Hookline(['start', ...flags, '--json'])
    await first.document('ready')
    const second = await run(['start', ...flags])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(/^error: \S+ is in use by another Hookline process\..*--data-dir/)
  })

  it.each([
    ['--port', []],
    ['--admin-port', ['--port', '0']],
  ])('reports that the port in %s is in use', async (flag, more) => {
    const occupied = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void occupied.close())
    await once(occupied, 'listening')
    const port = String((occupied.address() as AddressInfo).port)
    const flags = [flag, port, ...more, '--data-dir', dataFolder()]
    const failed = await run(['start', '--json', ...flags])
    expect(failed.code).toBe(1)
    // The new admin token is printed before the error.
    const [line] = failed.stderr.trim().split('\n').slice(-1)
    expect(JSON.parse(line!)).toMatchObject({
      error: {
        code: 'cannot_listen',
        message: expect.stringContaining(port),
        hint: expect.stringContaining(`with ${flag} `),
      },
    })
  })

  it('refuses a database of a newer version, and a data folder that is a file, with the remedy', async () => {
    const dataDir = dataFolder()
    const newer = new DatabaseSync(join(dataDir, 'hookline.db'))
    newer.exec('PRAGMA user_version = 999')
    newer.close()
    const file = join(dataFolder(), 'file')
    writeFileSync(file, '')
    const [tooNew, noFolder] = await Promise.all([
      run(['start', '--json', '--port', '0', '--data-dir', dataDir]),
      run(['start', '--json', '--port', '0', '--data-dir', file]),
    ])
    expect(tooNew.code).toBe(1)
    expect(errorOf(tooNew)).toMatchObject({
      code: 'schema_too_new',
      message: expect.stringContaining('Start the newer version again'),
    })
    expect(noFolder.code).toBe(1)
    expect(errorOf(noFolder)).toMatchObject({
      code: 'data_dir_unusable',
      hint: expect.stringContaining('--data-dir'),
    })
    expect(statSync(file).size).toBe(0)
  })

  it('exits immediately on a second signal', async () => {
    await using receiver = new Hookline(['listen', '--port', '0', '--delay', '1m', '--json'])
    const { url: webhook } = await receiver.document<{ url: string }>('listening')
    const flags = ['--port', '0', '--data-dir', dataFolder(), '--json']
    const forward = ['--forward-to', webhook, '--attempt-timeout', '60000']
    await using dev = new Hookline(['dev', ...flags, ...forward])
    const { curl } = await dev.document<{ curl: string }>('ready')
    await sendAsPasted(curl)
    await receiver.document('delivery')
    dev.signal('SIGINT')
    await dev.printed(/service\.stopping/, 'stderr')
    dev.signal('SIGTERM')
    expect(await dev.exit()).toBe(130)
  })
})
