import type { Destination, Webhook } from '@hookline/protocol'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Transforms } from '../../../src/delivery/transforms/transforms.ts'
import type { WebhookSenderOptions } from '../../../src/delivery/sending/sender.ts'
import { resumeForbidden } from '../../../src/delivery/health/webhook-pauser.ts'
import { TestDeliverySender } from '../../../src/delivery/parts/test-deliveries.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { DnsServer } from '@hookline/testing/network/dns-server'
import { HOSTILE_HOSTS, words } from '@hookline/testing/network/hostile-hosts'
import { newReplay } from '@hookline/testing/records/new-replay'
import { openReceiver } from '@hookline/testing/receiver/receiver'

const PER_DESTINATION = 5
const TTL_IS_OVER_MS = 6000
const LITERALS = Object.values(HOSTILE_HOSTS).flatMap(words)

/** DNS responses with a forbidden address, alone or next to a public one. */
const ANSWERS = [
  ['127.0.0.1'],
  ['127.8.8.8'],
  ['0.0.0.0'],
  ['10.0.0.5'],
  ['172.16.9.9'],
  ['192.168.1.1'],
  ['100.64.1.1'],
  ['169.254.169.254'],
  ['168.63.129.16'],
  ['224.0.0.9'],
  ['255.255.255.255'],
  ['::1'],
  ['::'],
  ['fe80::5'],
  ['fd00:ec2::254'],
  ['::ffff:127.0.0.1'],
  ['::127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['64:ff9b:1::a00:1'],
  ['2002:7f00:1::'],
  ['2001:0:7f00:1::'],
  ['192.0.66.1', '127.0.0.1'],
  ['127.0.0.1', '192.0.66.1'],
  ['192.0.66.1', '::1'],
  ['2606:4700::1111', '10.0.0.1'],
  ['2606:4700::1111', '::ffff:127.0.0.1'],
]

/** Counts all connections to any local address, and responds with 400. */
async function openCanary() {
  const canary = { connections: 0, port: 0 }
  const server: Server = createServer((socket) => {
    canary.connections++
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'))
  })
  server.listen(0, '::')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  canary.port = (server.address() as AddressInfo).port
  return canary
}

/** A name server that answers `answer-0.example` with the first of `ANSWERS`, and so on. */
async function openNames(): Promise<DnsServer> {
  const names = await DnsServer.open(({ name }) => {
    const index = Number(/^answer-(\d+)\./.exec(name)?.[1] ?? -1)
    return ANSWERS[index] === undefined ? 'no such name' : { addresses: ANSWERS[index] }
  })
  onTestFinished(() => names[Symbol.asyncDispose]())
  return names
}

async function destinationsOf(engine: TestEngine, urls: readonly string[]) {
  const destinations: Destination[] = []
  for (let at = 0; at < urls.length; at += PER_DESTINATION) {
    const webhooks = urls
      .slice(at, at + PER_DESTINATION)
      .map((url): Webhook => ({ url, headers: {} }))
    const settings = { sharedSecret: null, webhooks, successPolicy: 'each' } as const
    destinations.push(await engine.destination(`dst_${at}`, '', { settings }))
  }
  return destinations
}

const transforms = new Transforms()

/** Sends an event as a delivery, a test delivery and a replay. Returns the classes of the attempts for each. */
async function byEveryWay(engine: TestEngine, urls: readonly string[]) {
  const destinations = await destinationsOf(engine, urls)
  const [event] = await engine.receive(1)
  const attempts = async () => (await engine.deliveries({})).flatMap((each) => each.attempts)
  await expect.poll(async () => (await attempts()).length).toBe(urls.length)
  const delivered = await attempts()
  const testDeliveries = new TestDeliverySender({
    sender: engine.sender,
    transforms,
    clock: systemClock,
  })
  const tested = await Promise.all(
    destinations.map((each) => testDeliveries.run(each, event!, { dryRun: false })),
  )
  // Webhooks with forbidden URLs are paused. They are resumed as on a restart, so that the replay attempts them.
  const forbidden = delivered.filter((each) => each.class === 'address_forbidden').length
  await expect.poll(() => pausedIn(engine)).toBe(forbidden)
  await resumeForbidden(engine.backend.catalog, systemClock)
  for (const { id } of destinations) await replay(engine, id)
  await expect.poll(async () => (await attempts()).length).toBe(2 * urls.length)
  const replayed = (await attempts()).filter(({ replayId }) => replayId !== undefined)
  return {
    delivered: delivered.map((attempt) => attempt.class),
    tested: tested.flatMap(({ webhooks }) => webhooks.map(({ result }) => result?.class)),
    replayed: replayed.map((attempt) => attempt.class),
  }
}

/** The number of webhooks paused because their URL is forbidden. */
function pausedIn({ backend }: TestEngine): number {
  const destinations = [...backend.catalog.current.destinations.values()]
  const webhooks = destinations.flatMap(({ settings }) => settings.webhooks)
  return webhooks.filter(({ paused }) => paused?.reason === 'url_forbidden').length
}

async function replay({ backend, replays }: TestEngine, destinationId: string): Promise<void> {
  const states = ['rejected', 'delivered', 'expired'] as const
  await backend.replays.create(newReplay({ selection: { destinationId, states } }))
  replays.wake()
}

/** URLs of the hostile hosts, with the port of the canary. */
function hostileUrls(port: number): string[] {
  const names = ANSWERS.map((_, index) => `answer-${index}.example`)
  return ['localhost', ...LITERALS, ...names].map((host, index) => {
    // With different paths, because two spellings of the same URL would be one webhook.
    return new URL(`${index % 2 === 0 ? 'http' : 'https'}://${host}:${port}/${index}`).href
  })
}

async function openEngine(sender: Partial<WebhookSenderOptions>): Promise<TestEngine> {
  // A window that ends immediately, so that deliveries fail and can be replayed.
  const engine = await TestEngine.open({ sender, retryDelaysMs: [60_000], retryWindowMs: 0 })
  onTestFinished(() => engine[Symbol.asyncDispose]())
  return engine
}

test(`${LITERALS.length + ANSWERS.length + 1} hostile hosts are never connected to`, async () => {
  const canary = await openCanary()
  const names = await openNames()
  const engine = await openEngine({ allowedNetworks: [], dnsServers: [names.address] })
  const urls = hostileUrls(canary.port)
  expect(urls.length).toBeGreaterThan(100)
  const all = Array<string>(urls.length).fill('address_forbidden')
  const classes = await byEveryWay(engine, urls)
  expect(classes).toEqual({ delivered: all, tested: all, replayed: all })
  expect(canary.connections).toBe(0)
})

test('the canary detects connections to loopback hosts if loopback is allowed', async () => {
  const canary = await openCanary()
  const names = await openNames()
  const allowedNetworks = ['127.0.0.0/8', '::1/128']
  const engine = await openEngine({ allowedNetworks, dnsServers: [names.address] })
  const onLoopback = [
    '127.1',
    '[::1]',
    'localhost',
    '[::ffff:7f00:1]',
    'answer-0.example',
    'answer-11.example',
  ]
  const urls = onLoopback.map((host, index) => `http://${host}:${canary.port}/${index}`)
  const classes = await byEveryWay(engine, urls)
  const all = Array<string>(urls.length).fill('http_4xx')
  expect(classes).toEqual({ delivered: all, tested: all, replayed: all })
  expect(canary.connections).toBe(3 * urls.length)
})

test('a redirect to a forbidden address is never followed', async () => {
  const canary = await openCanary()
  await using receiver = await openReceiver({
    respond: { status: 307, headers: { Location: `http://127.0.0.2:${canary.port}/` } },
  })
  const engine = await openEngine({ allowedNetworks: ['127.0.0.1/32'] })
  const classes = await byEveryWay(engine, [receiver.url])
  expect(classes).toEqual({ delivered: ['redirect'], tested: ['redirect'], replayed: ['redirect'] })
  expect(canary.connections).toBe(0)
})

test('a name that changes to a private address after its first delivery is refused from then on', async () => {
  let isTurned = false
  await using names = await DnsServer.open(() => ({
    addresses: [isTurned ? '127.0.0.2' : '127.0.0.1'],
    ttl: 0,
  }))
  await using receiver = await openReceiver({ respond: { headers: { Connection: 'close' } } })
  let skippedMs = 0
  const clock: Clock = {
    now: () => systemClock.now() + skippedMs,
    wall: () => systemClock.wall() + skippedMs,
    after: (delayMs, task) => systemClock.after(delayMs, task),
    turn: () => systemClock.turn(),
  }
  const dnsServers = [names.address]
  const engine = await openEngine({ clock, dnsServers, allowedNetworks: ['127.0.0.1/32'] })
  const url = `http://rebinding.example:${receiver.port}/`
  const [destination] = await destinationsOf(engine, [url])
  await engine.receive(1)
  await receiver.waitFor(1)
  isTurned = true
  skippedMs = TTL_IS_OVER_MS
  const testDeliveries = new TestDeliverySender({ sender: engine.sender, transforms, clock })
  const event = acceptedEvent()
  const { webhooks } = await testDeliveries.run(destination!, event, { dryRun: false })
  expect(webhooks[0]?.result?.class).toBe('address_forbidden')
  await expect.poll(async () => (await engine.deliveries({}))[0]?.state).toBe('delivered')
  await replay(engine, destination!.id)
  await expect.poll(async () => (await engine.deliveries({}))[0]?.state).toBe('rejected')
  expect(receiver.connections).toBe(1)
})
