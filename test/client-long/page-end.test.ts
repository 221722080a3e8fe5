import { existsSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '@hookline/testing/client/bundle'
import { CHROMIUM, CHROMIUM_FLAGS } from '@hookline/testing/programs/chromium'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

/** A host name of this machine whose pages are not a secure context: neither localhost nor https. */
const PLAIN_HOST = 'shop.test'
const CLIENT = fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url))

/** Makes track calls with `bytes` bytes of text. Their event names are numbers. */
const MAKE_CALLS = `function makeCalls(calls, bytes, first = 0) {
  for (let index = first; index < first + calls; index++)
    analytics.track({ anonymousId: 'a1', event: String(index), properties: { text: 'x'.repeat(bytes) } })
}`

/** A program that makes calls on a page, and how the page is left. */
interface Ending {
  /** Code that runs on the page, with access to `analytics`, `makeCalls` and `leave`. */
  readonly program: string
  readonly end?: (page: Page) => Promise<unknown>
  readonly host?: string
}

const leave = (program: string): Ending => ({ program: `${program}; leave()` })

describe('leaving a page', () => {
  beforeEach(({ skip }) => {
    if (!existsSync(CHROMIUM)) skipOrFail(CHROMIUM, 'HOOKLINE_REQUIRE_CHROMIUM', skip)
  })

  let browser: Browser
  let site: Site
  let service: RunningService
  let receiver: Receiver
  beforeAll(async () => {
    if (!existsSync(CHROMIUM)) return
    site = await new Site(await bundle(CLIENT, ['hookline-source'])).listen()
    service = await startService()
    receiver = await openReceiver()
    await service.createDestination({ urls: [receiver.url] })
    const args = [...CHROMIUM_FLAGS, `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`]
    browser = await chromium.launch({ executablePath: CHROMIUM, args })
  })
  afterAll(async () => {
    if (!existsSync(CHROMIUM)) return
    await browser.close()
    await service[Symbol.asyncDispose]()
    await receiver[Symbol.asyncDispose]()
    site.close()
  })

  /** Each context has its own cache of CORS preflights. */
  async function openPage(host: string): Promise<Page> {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(site.urlOf(host))
    return page
  }

  /** Runs the program, leaves the page, and expects this number of events at the webhook. */
  async function expectArrivals(count: number, { program, end, host }: Ending): Promise<void> {
    receiver.requests.length = 0
    const page = await openPage(host ?? '127.0.0.1')
    const options = { writeKey: service.source.writeKey, endpoint: service.url }
    // The page may close before the evaluation returns.
    const ran = page.evaluate(`(async () => {
      ${MAKE_CALLS}
      const { Analytics } = await import('/client.js')
      const analytics = new Analytics('${options.writeKey}', { endpoint: '${options.endpoint}' })
      const leave = () => { location.href = '/next' }
      ${program}
    })()`)
    await ran.catch((error: Error) => {
      if (!/navigation|closed|destroyed/.test(error.message)) throw error
    })
    await (end ?? ((left: Page) => left.waitForURL('**/next')))(page)
    await expect.poll(() => eventsOf(receiver)).toEqual(Array.from({ length: count }, (_, i) => i))
  }

  const close = { end: (page: Page) => page.close({ runBeforeUnload: true }) }

  test.for([
    [2, 200],
    [2, 2_000],
    [2, 30_000],
    [120, 200],
  ] as const)('loses none of %i calls of %i bytes', async ([calls, bytes]) => {
    const program = `makeCalls(${calls}, ${bytes})`
    await expectArrivals(calls, leave(program))
    await expectArrivals(calls, { program, ...close })
    await expectArrivals(calls, { ...leave(program), host: PLAIN_HOST })
  })

  const recipe = (target: string, event: string, code: string) =>
    `${target}.addEventListener('${event}', () => { ${code} })`
  test.for([
    recipe('window', 'pagehide', 'void analytics.flush()'),
    recipe('document', 'visibilitychange', 'void analytics.flush()'),
    recipe('window', 'pagehide', 'void analytics.close()'),
    recipe('window', 'beforeunload', 'void analytics.flush()'),
    recipe('window', 'beforeunload', 'void analytics.close()'),
  ])('loses no call with %s', async (listener) => {
    await expectArrivals(6, leave(`${listener}; makeCalls(6, 2_000)`))
    await expectArrivals(6, { program: `${listener}; makeCalls(6, 2_000)`, ...close })
  })

  test.for([
    recipe('window', 'pagehide', 'makeCalls(3, 2_000, 1)'),
    recipe('window', 'unload', 'makeCalls(3, 2_000, 1)'),
    recipe('document', 'visibilitychange', 'makeCalls(3, 2_000, 1)'),
  ])('loses no call that is made in %s', async (listener) => {
    await expectArrivals(4, leave(`${listener}; makeCalls(1, 2_000)`))
    await expectArrivals(4, { program: `${listener}; makeCalls(1, 2_000)`, ...close })
  })

  const later = (code: string) => `await new Promise((resolve) => { ${code} })`
  test.for([
    ['is about to be compressed', 'analytics.flush()'],
    ['is being compressed', 'analytics.flush(); await null; await null'],
    ['waits for the CORS preflight', `analytics.flush(); ${later('setTimeout(resolve, 3)')}`],
  ])('loses no call in a request that %s', async ([, flush]) => {
    await expectArrivals(6, leave(`makeCalls(6, 2_000); ${flush}`))
    await expectArrivals(6, { ...leave(`makeCalls(6, 2_000); ${flush}`), host: PLAIN_HOST })
  })

  test('loses no call in a request that is waiting for a retry', async () => {
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*, authorization',
      'access-control-expose-headers': 'retry-after',
    }
    let posts = 0
    await using away = await openReceiver({
      respond: ({ method }) => {
        const isDown = method === 'POST' && posts++ === 0
        const headers = isDown ? { ...cors, 'retry-after': '300' } : cors
        return { status: isDown ? 503 : 200, headers, body: '{"success":true}' }
      },
    })
    const page = await openPage('127.0.0.1')
    const endpoint = `http://127.0.0.1:${away.port}`
    await page.evaluate(`(async () => {
      const { Analytics } = await import('/client.js')
      window.analytics = new Analytics('wk_test', { endpoint: '${endpoint}' })
      analytics.track({ anonymousId: 'a1', event: 'Left' })
      analytics.flush()
    })()`)
    await expect.poll(() => posts).toBe(1)
    await page.evaluate(`location.href = '/next'`)
    await expect.poll(() => posts).toBe(2)
    const [first, second] = away.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body.toString()) as { batch: object; writeKey?: string })
    expect(second).toMatchObject({ batch: first!.batch, writeKey: 'wk_test' })
  })

  test("loses no call when other scripts have used up the page's keepalive quota", async () => {
    const hide = `dispatchEvent(new Event('pagehide'))`
    const used = `fetch('/slow', { method: 'POST', keepalive: true, body: 'x'.repeat(60_000) })`
    const program = `void ${used}; makeCalls(5, 2_000); ${hide}; await analytics.flush()`
    await expectArrivals(5, { program, end: (page) => page.close() })
  })

  test('needs no secure context: messageIds are random UUIDs without one as well', async () => {
    const page = await openPage(PLAIN_HOST)
    expect(await page.evaluate('[isSecureContext, typeof crypto.randomUUID]')).toEqual([
      false,
      'undefined',
    ])
    const ids = await page.evaluate(`import('/client.js').then(async ({ Analytics }) => {
      const ids = new Set()
      const fetch = async (url, { body }) => {
        for (const { messageId } of JSON.parse(new TextDecoder().decode(body)).batch) ids.add(messageId)
        return new Response('{"success":true}')
      }
      const analytics = new Analytics('wk_test', { fetch, gzip: false })
      for (let index = 0; index < 100; index++) analytics.identify({ userId: 'u1' })
      await analytics.close()
      return [...ids]
    })`)
    expect(ids).toHaveLength(100)
    for (const id of ids as string[]) {
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    }
  })

  test('is ignored if the page becomes visible again', async () => {
    const hide = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`
    const show = `delete document.visibilityState;
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`
    const program = `makeCalls(2, 200); ${hide}; makeCalls(2, 200, 2); ${show}; makeCalls(20, 200, 4)
      await analytics.flush()
      return { pending: analytics.stats.pending, delivered: analytics.stats.delivered }`
    await expectArrivals(24, { program, end: (page) => page.close() })
  })
})

/** The numbers of the events that arrived, without duplicates. */
function eventsOf({ requests }: Receiver): number[] {
  const events = requests.map(
    ({ body }) => (JSON.parse(body.toString()) as { event: string }).event,
  )
  return [...new Set(events)].map(Number).toSorted((a, b) => a - b)
}

/** A site with an empty page at every path, except the client at `/client.js` and no response at `/slow`. */
class Site {
  readonly #client: string
  readonly #server = createServer(({ url }, response) => this.#respond(url, response))

  constructor(client: string) {
    this.#client = client
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  urlOf(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #respond(url: string | undefined, response: ServerResponse): void {
    if (url === '/slow') return
    const isClient = url === '/client.js'
    response.setHeader('content-type', isClient ? 'text/javascript' : 'text/html')
    response.end(isClient ? this.#client : '<!doctype html><title>Shop</title>')
  }
}
