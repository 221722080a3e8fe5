import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Hookline, run } from '@hookline/testing/cli/hookline'
import { sendAsPasted } from '@hookline/testing/cli/send-as-pasted'

interface Ready {
  readonly url: string
  readonly writeKey: string
  readonly sourceId: string
  readonly destinationId: string
  readonly webhookUrl: string
  readonly secretFile: string
  readonly curl: string
}

describe('hookline dev', () => {
  it('prints a curl line that works in a shell, shows the delivery, and keeps its data in ./data', async () => {
    using folder = new TemporaryFolder()
    await using dev = new Hookline(['dev', '--port', '0'], { cwd: folder.path })
    const [curl] = await dev.printed(/^curl .*$/m)
    expect(dev.stdout).toContain('127.0.0.0/8')
    expect(await sendAsPasted(curl)).toEqual({ success: true })
    const [line] = await dev.printed(/^\d\d:.*\n/m)
    expect(line).toMatch(/^\S+ +track +Order Completed +u1 +signature valid +\d+ ms\n$/)
    dev.signal('SIGINT')
    expect(await dev.exit()).toBe(0)
    expect(readFileSync(join(folder.path, 'data', 'admin-token'), 'utf8')).toMatch(/^tok_/)
  })

  it('prints the addresses of the console and of the API reference', async () => {
    using folder = new TemporaryFolder()
    await using dev = new Hookline(['dev', '--port', '0'], { cwd: folder.path })
    await dev.printed(/^curl .*$/m)
    const [, page] = /console +(\S+)/.exec(dev.stdout)!
    const [, reference] = /API reference +(\S+)/.exec(dev.stdout)!
    for (const url of [page!, reference!]) {
      const response = await fetch(url, { headers: { accept: 'text/html' } })
      expect([url, response.status]).toEqual([url, 200])
      expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    }
    dev.signal('SIGINT')
    expect(await dev.exit()).toBe(0)
  })

  it('reuses source, destination and shared secret in the next run, and supports --json', async () => {
    using folder = new TemporaryFolder()
    const args = ['dev', '--port', '0', '--data-dir', folder.path, '--json']
    const session = async () => {
      await using dev = new Hookline(args)
      const ready = await dev.document<Ready>('ready')
      await sendAsPasted(ready.curl)
      const delivery = await dev.document('delivery')
      const secret = readFileSync(ready.secretFile, 'utf8')
      dev.signal('SIGTERM')
      expect(await dev.exit()).toBe(0)
      expect(dev.stdout + dev.stderr).not.toContain(secret.trim())
      const { writeKey, sourceId, destinationId } = ready
      return { delivery, kept: { writeKey, sourceId, destinationId, secret } }
    }
    const first = await session()
    const second = await session()
    expect(first.delivery).toMatchObject({
      type: 'track',
      name: 'Order Completed',
      userId: 'u1',
      attempt: 1,
      responseStatus: 200,
      signature: { verdict: 'valid' },
      sinceReceiptMs: expect.any(Number),
    })
    expect(second.delivery).toMatchObject({ signature: { verdict: 'valid' } })
    expect(second.kept).toEqual(first.kept)
  })

  it('keeps the limits of its webhook in the next run', async () => {
    using folder = new TemporaryFolder()
    const session = async (...command: string[]) => {
      await using dev = new Hookline(['dev', '--port', '0', '--data-dir', folder.path, '--json'])
      const { url, destinationId } = await dev.document<Ready>('ready')
      const service = ['--url', url, '--data-dir', folder.path, '--json']
      const { stdout } = await run([
        'destinations',
        command[0]!,
        destinationId,
        ...service,
        ...command.slice(1),
      ])
      dev.signal('SIGTERM')
      await dev.exit()
      return JSON.parse(stdout) as object
    }
    const limited = { settings: { webhooks: [{ limits: { timeout: '7s' } }] } }
    expect(await session('update', '--timeout', '7s')).toMatchObject(limited)
    expect(await session('get')).toMatchObject(limited)
  })

  it('delivers to the inspector, even after a run that delivered elsewhere, and shows the requests', async () => {
    using folder = new TemporaryFolder()
    const args = ['dev', '--port', '0', '--data-dir', folder.path, '--json']
    await using away = new Hookline([...args, '--forward-to', 'http://127.0.0.1:2/x'])
    const first = await away.document<Ready>('ready')
    away.signal('SIGTERM')
    await away.exit()
    await using dev = new Hookline(args)
    const ready = await dev.document<Ready>('ready')
    expect(ready.webhookUrl).toBe('http://inspector.internal/')
    expect(ready.destinationId).toBe(first.destinationId)
    await sendAsPasted(ready.curl)
    await dev.document('delivery')
    const response = await fetch(`${ready.url}/api/v1/inspector/requests`)
    expect(await response.json()).toMatchObject({
      data: [{ destinationId: ready.destinationId, signature: { verdict: 'valid' } }],
    })
    dev.signal('SIGINT')
    expect(await dev.exit()).toBe(0)
  })

  it.each([
    [[], true],
    [['--host', '0.0.0.0'], false],
    [['--host', '0.0.0.0', '--admin-port', '0'], true],
  ])('with %j, lets local browsers in without a token: %s', async (settings, allowsLocalAccess) => {
    using folder = new TemporaryFolder()
    const args = ['dev', '--port', '0', '--data-dir', folder.path, '--json', ...settings]
    await using dev = new Hookline(args)
    const ready = await dev.document<Ready & { allowsLocalAccess: boolean; apiReference: string }>(
      'ready',
    )
    expect(ready.allowsLocalAccess).toBe(allowsLocalAccess)
    const headers = { 'sec-fetch-site': 'same-origin' }
    const session = new URL('/api/v1/session', ready.apiReference)
    expect((await fetch(session, { headers })).status).toBe(allowsLocalAccess ? 200 : 401)
    dev.signal('SIGINT')
    expect(await dev.exit()).toBe(0)
  })

  it('delivers to --forward-to, signed with the secret in the secret file, and shows each attempt', async () => {
    using folder = new TemporaryFolder()
    const dataDir = ['--data-dir', folder.path]
    const settings = ['--port', '0', '--retry-schedule', '1', ...dataDir, '--json']
    await using away = new Hookline(['dev', ...settings, '--forward-to', 'http://127.0.0.1:2/x'])
    const { secretFile } = await away.document<Ready>('ready')
    away.signal('SIGTERM')
    await away.exit()

    const faults = ['--fail', '500:1', '--secret-file', secretFile]
    await using receiver = new Hookline(['listen', '--port', '0', '--json', ...faults])
    const { url } = await receiver.document<Ready>('listening')
    await using dev = new Hookline(['dev', ...settings, '--forward-to', `${url}hook`])
    const ready = await dev.document<Ready>('ready')
    expect(ready.webhookUrl).toBe(`${url}hook`)
    await sendAsPasted(ready.curl)
    expect(await dev.documents('attempt', 2)).toMatchObject([
      { type: 'track', name: 'Order Completed', attempt: 1, outcome: 'retry', status: 500 },
      { type: 'track', userId: 'u1', attempt: 2, outcome: 'delivered', status: 200, error: null },
    ])
    const [, delivery] = await receiver.documents('delivery', 2)
    expect(delivery).toMatchObject({ responseStatus: 200, signature: { verdict: 'valid' } })
  })

  it('refuses a --forward-to that is not a URL', async () => {
    const { code, stderr } = await run(['dev', '--forward-to', 'localhost:3000'])
    expect(code).toBe(2)
    expect(stderr).toContain('It must be a URL')
  })
})
