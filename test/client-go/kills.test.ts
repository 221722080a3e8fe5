import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '@hookline/testing/network/free-port'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CallReceiver } from '@hookline/testing/client/call-receiver'
import { SETTINGS, writeKeyOf } from '@hookline/testing/client/killed-service'
import { ServiceProcess } from '@hookline/testing/service/service-process'
import { buildGo, GO_BUILD_MS, skipWithoutGo } from '@hookline/testing/programs/go'

const CALLS = 20_000
const PROGRAMS = fileURLToPath(new URL('../clients/adapters/go', import.meta.url))

interface Stats {
  readonly Queued: number
  readonly Delivered: number
  readonly Failed: number
  readonly Pending: number
  readonly Dropped: number
}

test(
  `each of ${CALLS} calls from the Go library arrives, although the service responds with 503 and is killed twice`,
  { timeout: GO_BUILD_MS },
  async ({ skip }) => {
    skipWithoutGo(skip)
    const binary = await buildGo(PROGRAMS, 'load')
    using folder = new TemporaryFolder()
    await using receiver = await new CallReceiver().listen()
    const options = { port: await freePort(), dataDir: folder.path, settings: SETTINGS }
    let service = await started(options)
    const writeKey = await writeKeyOf(service.url, receiver.url)
    expect(await service.stop(), service.stderr).toBe(0)

    const overloaded = await openReceiver({ port: options.port, respond: 503 })
    const load = new Load(binary, [writeKey, service.url, String(CALLS)])
    await overloaded.waitFor(3)
    await overloaded[Symbol.asyncDispose]()
    service = await started(options)
    for (const delivered of [CALLS / 4, CALLS / 2]) {
      await expect.poll(() => load.stats?.Delivered, { interval: 10 }).toBeGreaterThan(delivered)
      await service.kill()
      service = await started(options)
    }

    await load.ended
    expect(load.errors).toEqual([])
    expect(load.stats).toEqual({
      Queued: CALLS,
      Delivered: CALLS,
      Failed: 0,
      Pending: 0,
      Dropped: 0,
    })
    await expect.poll(() => receiver.calls.size, { timeout: 120_000, interval: 200 }).toBe(CALLS)
    expect(await service.stop(), service.stderr).toBe(0)
    for (let index = 0; index < CALLS; index++) expect(receiver.calls.has(`m${index}`)).toBe(true)
  },
)

/** The program that makes the calls. */
class Load {
  stats: Stats | undefined
  readonly errors: string[] = []
  readonly ended: Promise<unknown>

  constructor(binary: string, args: readonly string[]) {
    const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    this.ended = once(child, 'close')
    createInterface(child.stdout).on('line', (text) => {
      const line = JSON.parse(text) as Stats | { readonly error: string }
      if ('error' in line) this.errors.push(line.error)
      else this.stats = line
    })
  }
}

async function started(
  options: ConstructorParameters<typeof ServiceProcess>[0],
): Promise<ServiceProcess> {
  const service = new ServiceProcess(options)
  onTestFinished(() => service.kill())
  expect(await service.ready(), service.stderr).toBe(true)
  return service
}
