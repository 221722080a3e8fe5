import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '@hookline/testing/client/bundle'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { nodeOf } from '../../release/nodes.ts'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import { startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { installClient } from './installed-client.ts'

const run = promisify(execFile)

/** A program with a batch large enough to be compressed. */
const PROGRAM = `
import { Analytics } from '@hookline/client'
export async function send({ endpoint, writeKey }) {
  const analytics = new Analytics(writeKey, { endpoint })
  analytics.identify({ userId: 'u1', traits: { plan: 'pro' } })
  analytics.track({ userId: 'u1', event: 'Bundled', properties: { text: 'x'.repeat(2000) } })
  const result = await analytics.flush()
  await analytics.close()
  return result
}`

const MAIN = `
import { send } from './bundle.js'
console.log(JSON.stringify(await send(JSON.parse(process.argv[2]))))`

interface SendOptions {
  readonly endpoint: string
  readonly writeKey: string
}

describe('a program bundled with the published client', () => {
  const folder = new TemporaryFolder()
  const file = (name: string) => join(folder.path, name)
  beforeAll(async () => {
    await installClient(folder.path)
    writeFileSync(file('package.json'), '{"type":"module"}')
    writeFileSync(file('program.js'), PROGRAM)
    writeFileSync(file('main.js'), MAIN)
    writeFileSync(file('bundle.js'), await bundle(file('program.js')))
  })
  afterAll(() => folder[Symbol.dispose]())

  /** Runs the program against a service and expects its two calls at the receiver. */
  async function expectDelivery(send: (options: SendOptions) => Promise<unknown>): Promise<void> {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const { url: endpoint, source } = service
    expect(await send({ endpoint, writeKey: source.writeKey })).toEqual({
      delivered: 2,
      failed: 0,
      pending: 0,
    })
    await receiver.waitFor(2)
    const types = receiver.requests.map(({ body }) => String(JSON.parse(body.toString()).type))
    expect(types.toSorted()).toEqual(['identify', 'track'])
  }

  const runWith = (node: string) => async (options: SendOptions) =>
    JSON.parse((await run(node, [file('main.js'), JSON.stringify(options)])).stdout) as unknown

  test('runs in the project’s version of Node', () => expectDelivery(runWith(process.execPath)))

  test('runs in Node 20', async () => expectDelivery(runWith(await nodeOf(20))))

  test('runs in a browser, and sends to another origin', async ({ skip }) => {
    if (!existsSync(CHROMIUM)) skipOrFail(CHROMIUM, 'HOOKLINE_REQUIRE_CHROMIUM', skip)
    const origin = await serve(readFileSync(file('bundle.js')))
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.goto(origin)
    await expectDelivery((options) =>
      page.evaluate(`import('/bundle.js').then(({ send }) => send(${JSON.stringify(options)}))`),
    )
  })

  test('is at most 8.5 kB larger than without the client, compressed', async () => {
    const entry = file('node_modules/@hookline/client/dist/index.js')
    expect(gzipSync(await bundle(entry)).length).toBeLessThanOrEqual(8_500)
  })
})

/** Serves an empty page and this module until the test ends. Resolves with the origin. */
async function serve(module: Buffer): Promise<string> {
  const server = createServer(({ url }, response) => {
    const isModule = url === '/bundle.js'
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html')
    response.end(isModule ? module : '<!doctype html><title>Shop</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
