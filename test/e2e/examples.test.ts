import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { freePort } from '@hookline/testing/network/free-port'
import { type RunningService, startService } from '@hookline/testing/service/running-service'

const SECRET = 'the secret of the examples'

/** A running program of `examples/`. */
class Example implements AsyncDisposable {
  #output = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown[]>

  constructor(name: string, service: RunningService, env: Record<string, string> = {}) {
    const path = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url))
    this.#child = spawn(process.execPath, ['--conditions=hookline-source', path], {
      env: {
        PATH: process.env['PATH'],
        HOOKLINE_URL: service.url,
        HOOKLINE_WRITE_KEY: service.source.writeKey,
        PORT: '0',
        ...env,
      },
    })
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.on('data', (chunk: Buffer) => (this.#output += chunk.toString()))
    }
    this.#closed = once(this.#child, 'close')
  }

  /** Waits until the output matches, and returns the match. */
  async printed(pattern: RegExp): Promise<string> {
    await eventually(() => expect(this.#output).toMatch(pattern))
    return pattern.exec(this.#output)![0]
  }

  /** Stops it with SIGTERM, like a container. Returns the exit code. */
  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM')
    return this.exit()
  }

  async exit(): Promise<number | null> {
    await this.#closed
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed
  }
}

type Payload = Readonly<Record<string, unknown>>

const payloads = ({ requests }: Receiver) =>
  requests.map(({ body }) => JSON.parse(body.toString()) as Payload)

const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe.concurrent('the example', () => {
  test('script.ts sends all of its calls before it exits', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await using example = new Example('script', service)
    expect(await example.exit()).toBe(0)
    await example.printed(/delivered: 3/)
    await receiver.waitFor(3)
    const timestamps = payloads(receiver).map(({ timestamp }) => timestamp)
    expect(timestamps).toContain('2014-05-01T09:30:00.000Z')
  })

  test('fastify-server.ts responds immediately, and loses nothing when it is stopped', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await using example = new Example('fastify-server', service)
    const url = await example.printed(/http:\S+/)
    const responses = [
      await post(`${url}/orders`, { userId: 'u1', total: 39.95 }),
      await post(`${url}/orders`, { total: 1 }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([201, 400])
    expect(await example.stop()).toBe(0)
    await receiver.waitFor(1)
    expect(payloads(receiver)).toMatchObject([
      { event: 'Order Completed', properties: { revenue: 39.95 }, context: { ip: '127.0.0.1' } },
    ])
  })

  test('express-server.ts accepts webhooks of its destination, and refuses unsigned ones', async () => {
    await using service = await startService()
    const port = await freePort()
    await using example = new Example('express-server', service, {
      HOOKLINE_SECRET: SECRET,
      PORT: String(port),
    })
    const url = await example.printed(/http:\S+/)
    await service.createDestination({ urls: [`${url}/webhook`], secret: SECRET })
    // Enough calls for a full batch, which is sent before the flush interval.
    for (let index = 0; index < 10; index++) {
      expect((await post(`${url}/sign-ups`, { userId: 'u1', plan: 'pro' })).status).toBe(201)
    }
    expect((await post(`${url}/webhook`, { type: 'track' })).status).toBe(401)
    await example.printed(/received identify/)
    await example.printed(/received track Signed Up/)
    expect(await example.stop()).toBe(0)
  })

  test('worker.ts sends a call for every job done before it stops', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await using example = new Example('worker', service)
    await example.printed(/job 5 done/)
    expect(await example.stop()).toBe(0)
    const done = (await example.printed(/[^]*/)).match(/job \d+ done/g)!.length
    await receiver.waitFor(done)
    const numbers = payloads(receiver).map(({ properties }) => (properties as Payload)['number'])
    expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: done }, (_, index) => index + 1),
    )
  })
})
