import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NamedPipe } from '@hookline/testing/files/named-pipe'
import { Receiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { freePort } from '@hookline/testing/network/free-port'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { openSender } from './call-sender.ts'
import { diskOrSkip } from './small-disk.ts'

const ADMIN_TOKEN = 'tok_log'
const MIB = 2 ** 20
/** At level debug, each logs about 350 bytes, in total more than a pipe and the log buffer can hold. */
const FAILING_ATTEMPTS = 5_000
const WEBHOOKS = 5

test('the service continues while its log is on a full disk, and then logs the number of lost lines', async ({
  skip,
}) => {
  using disk = diskOrSkip({ bytes: 4 * MIB, ballastBytes: 4 * MIB }, skip)
  const file = join(disk.path, 'log')
  await using run = await startWith(openSync(file, 'a'))
  await run.worksWhileLinesAreLost()
  disk.free()
  const lost = await run.linesLost()
  const report = (): unknown =>
    linesOf(readFileSync(file, 'utf8')).find(({ msg }) => msg === 'log.lines_lost')
  await expect.poll(report).toMatchObject({ lines: lost })
  expect(await run.service.stop()).toBe(0)
  expect(linesOf(readFileSync(file, 'utf8')).at(-1)).toMatchObject({ msg: 'service.stopped' })
})

test('the service continues with its log on /dev/full, and stops normally', async () => {
  await using run = await startWith(openSync('/dev/full', 'w'))
  await run.worksWhileLinesAreLost()
  expect(await run.service.stop()).toBe(0)
})

test.for([{ isBlocking: true }, { isBlocking: false }])(
  'the service continues while the pipe of its log is not read, and then logs the number of lost lines (%o)',
  async (pipeOptions) => {
    using pipe = new NamedPipe(pipeOptions)
    await using run = await startWith(pipe.fd, { keepsOpen: true })
    await run.worksWhileLinesAreLost()
    const lost = await run.linesLost()
    let text = ''
    const report = (): unknown => {
      text += pipe.read()
      return linesOf(text).find(({ msg }) => msg === 'log.lines_lost')
    }
    await expect.poll(report).toMatchObject({ lines: lost })
    expect(await run.service.stop()).toBe(0)
    expect(linesOf(pipe.read()).at(-1)).toMatchObject({ msg: 'service.stopped' })
  },
)

test('a service whose log is not read stops normally', async () => {
  using pipe = new NamedPipe({ isBlocking: true })
  await using run = await startWith(pipe.fd, { keepsOpen: true })
  await run.worksWhileLinesAreLost()
  expect(await run.service.stop()).toBe(0)
})

test('the service continues after the reader of its log has closed the pipe', async () => {
  using pipe = new NamedPipe({ isBlocking: true })
  await using run = await startWith(pipe.fd, { keepsOpen: true })
  pipe.closeReader()
  await run.worksWhileLinesAreLost()
  expect(await run.service.stop()).toBe(0)
})

function linesOf(text: string): { readonly msg?: string; readonly lines?: number }[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as object)
}

/** Starts a service with this stderr, and closes the test's descriptor unless `keepsOpen` is set. */
async function startWith(stderr: number, { keepsOpen = false } = {}) {
  const folder = new TemporaryFolder()
  const service = new ServiceProcess({
    port: await freePort(),
    dataDir: folder.path,
    settings: {
      HOOKLINE_ADMIN_TOKEN: ADMIN_TOKEN,
      HOOKLINE_ALLOWED_NETWORKS: '127.0.0.0/8',
      HOOKLINE_LOG_LEVEL: 'debug',
    },
    stderr,
  })
  if (!keepsOpen) closeSync(stderr)
  const receiver = await CountingReceiver.open({ random: Math.random, failing: 0 })
  expect(await service.ready()).toBe(true)
  const api = new ManagementApi(service.url, ADMIN_TOKEN)
  const worksWhileLinesAreLost = async (): Promise<void> => {
    await failMany(api)
    expect(await linesLostOf(service.url)).toBeGreaterThan(0)
    for (const path of ['livez', 'readyz'])
      expect((await fetch(`${service.url}/${path}`)).status).toBe(200)
    const accepted = new Set<string>()
    const send = await openSender(api, { webhookUrls: [receiver.urlOf('hook')], accepted })
    expect((await send()).status).toBe(200)
    await expect.poll(() => receiver.missing('hook', accepted)).toBe(0)
  }
  return {
    service,
    worksWhileLinesAreLost,
    linesLost: () => linesLostOf(service.url),
    [Symbol.asyncDispose]: async () => {
      await service.kill()
      await receiver[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Sends calls to webhooks that refuse them. At level debug, each attempt is logged. */
async function failMany(api: ManagementApi): Promise<void> {
  await using refusing = await new Receiver({ respond: 400 }).listen()
  const webhookUrls = Array.from({ length: WEBHOOKS }, (_, index) => `${refusing.url}/${index}`)
  const accepted = new Set<string>()
  const send = await openSender(api, { webhookUrls, accepted })
  while (accepted.size * WEBHOOKS < FAILING_ATTEMPTS) expect((await send()).status).toBe(200)
  await expect.poll(() => refusing.requests.length).toBeGreaterThanOrEqual(FAILING_ATTEMPTS)
}

async function linesLostOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^hookline_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])
}
