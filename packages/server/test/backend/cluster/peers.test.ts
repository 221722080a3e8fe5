import type { LaneState } from '@hookline/protocol'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'
import { clusterSkipReason } from '@hookline/testing/cluster/cluster-servers'
import type { Backend } from '../../../src/backend/backend.ts'
import type { LaneId, LaneCommand } from '../../../src/backend/deliveries.ts'
import { WebhookHealth } from '../../../src/delivery/health/webhook-health.ts'
import type { LaneDivision } from '../../../src/delivery/lanes/lane-scheduler.ts'
import { connectPeers, SharedLanes } from '../../../src/engine/peers.ts'
import { systemClock } from '../../../src/util/time/clock.ts'
import { openNodes, type OpenNodes } from './open-nodes.ts'

const URL_A = newDestination().settings.webhooks[0]!.url

/** The breakers of a node, connected to those on other nodes. */
class Peer {
  readonly health = new WebhookHealth(systemClock)
  readonly recovered: LaneId[] = []
  division: LaneDivision | undefined

  constructor({ nodes, signals, catalog }: Backend) {
    const stop = connectPeers({
      nodes,
      signals,
      catalog,
      health: this.health,
      onDivision: (division) => (this.division = division),
      onRecovery: (id) => this.recovered.push(id),
    })
    onTestFinished(stop)
  }

  get isOpen(): boolean {
    return this.health.brokenSince('dst_a', URL_A) !== undefined
  }

  /** Records a response with Retry-After. */
  pause(retryAfterMs: number): void {
    const throttled = { outcome: 'retry', class: 'http_throttled', status: 429 } as const
    const attempt = { url: URL_A, ...throttled, durationMs: 0, retryAfterMs }
    const generation = this.health.onAttempt('dst_a', URL_A)
    this.health.onResult('dst_a', attempt, { generation, now: systemClock.now() })
  }

  get pausedForMs(): number {
    return Math.max(0, this.health.retryAfterUntil('dst_a', URL_A) - systemClock.now())
  }

  attempt(outcome: 'delivered' | 'retry', url = URL_A): void {
    const generation = this.health.onAttempt('dst_a', url)
    const kind = outcome === 'delivered' ? 'delivered' : 'connection_failed'
    this.health.onResult(
      'dst_a',
      { url, outcome, class: kind, durationMs: 0 },
      { generation, now: systemClock.now() },
    )
  }
}

async function openWithDestination(count: number): Promise<OpenNodes> {
  const opened = await openNodes(count)
  await opened.nodes[0]!.catalog.putAll({
    sources: [newSource()],
    destinations: [newDestination()],
  })
  for (const { catalog, nodes } of opened.nodes) {
    await expect.poll(() => catalog.current.destinations.has('dst_a')).toBe(true)
    await expect.poll(() => nodes.current).toHaveLength(count)
  }
  return opened
}

describe.skipIf(clusterSkipReason() !== undefined)('nodes that deliver', () => {
  test('open and close a breaker together, without further attempts', async () => {
    await using opened = await openWithDestination(2)
    const [a, b] = opened.nodes.map((node) => new Peer(node))
    for (let times = 0; times < 10; times++) a!.attempt('retry')
    expect(a!.isOpen).toBe(true)
    await expect.poll(() => b!.isOpen).toBe(true)
    const untilA = a!.health.blockedUntil('dst_a', URL_A)
    const untilB = b!.health.blockedUntil('dst_a', URL_A)
    // The other node probes later, so only one probe is made.
    expect(untilB - untilA).toBeGreaterThan(1_000)
    expect(untilB - untilA).toBeLessThan(10_000)
    a!.health.retryNow('dst_a', URL_A)
    a!.attempt('delivered')
    await expect.poll(() => b!.isOpen).toBe(false)
    expect(b!.recovered).toEqual([{ destinationId: 'dst_a', url: URL_A }])
    expect(a!.recovered).toEqual([])
  })

  test('get the open breakers when they start', async () => {
    await using opened = await openWithDestination(2)
    const a = new Peer(opened.nodes[0]!)
    for (let times = 0; times < 10; times++) a.attempt('retry')
    const b = new Peer(opened.nodes[1]!)
    await expect.poll(() => b.isOpen).toBe(true)
  })

  test('all respect a Retry-After that any of them got, even nodes that start later', async () => {
    await using opened = await openWithDestination(2)
    const [a, b] = opened.nodes.map((node) => new Peer(node))
    a!.pause(60_000)
    await expect.poll(() => b!.pausedForMs).toBeGreaterThan(50_000)
    expect(b!.pausedForMs).toBeLessThanOrEqual(60_000)
    // A shorter pause changes nothing.
    b!.pause(2_000)
    expect(a!.pausedForMs).toBeGreaterThan(50_000)
    const c = new Peer(await opened.add())
    await expect.poll(() => c.pausedForMs).toBeGreaterThan(50_000)
  })

  test('ignore signals about unknown webhooks', async () => {
    await using opened = await openWithDestination(2)
    const [a, b] = opened.nodes.map((node) => new Peer(node))
    const unknown = 'https://gone.example/'
    for (let times = 0; times < 10; times++) a!.attempt('retry', unknown)
    for (let times = 0; times < 10; times++) a!.attempt('retry')
    await expect.poll(() => b!.isOpen).toBe(true)
    expect(b!.health.brokenSince('dst_a', unknown)).toBeUndefined()
  })

  test('divide the limits, and redistribute them within seconds when a node joins or leaves', async () => {
    await using opened = await openWithDestination(1)
    const a = new Peer(opened.nodes[0]!)
    expect(a.division).toEqual({ nodes: 1, index: 0 })
    const second = await opened.add()
    const b = new Peer(second)
    await expect.poll(() => a.division?.nodes).toBe(2)
    expect(new Set([a.division!.index, b.division!.index])).toEqual(new Set([0, 1]))
    await second[Symbol.asyncDispose]()
    await expect.poll(() => a.division).toEqual({ nodes: 1, index: 0 })
  })
})

/** The tolerance for times: nodes send ages in whole milliseconds. */
const ROUNDING_MS = 5

const CLOSED: LaneState = {
  url: URL_A,
  breaker: 'closed',
  brokenSince: null,
  openUntil: null,
  retryAfterUntil: null,
  pacePerSecond: 5,
  inFlight: 2,
}

describe.skipIf(clusterSkipReason() !== undefined)('lanes of several nodes', () => {
  test('are shown combined, and manual commands run on each node', async () => {
    await using opened = await openWithDestination(2)
    const commands: string[] = []
    const since = systemClock.now() - 60_000
    const open: LaneState = {
      ...CLOSED,
      breaker: 'open',
      brokenSince: since,
      openUntil: since + 90_000,
      inFlight: 1,
    }
    const [a] = [CLOSED, open].map((state, index) => {
      const { signals } = opened.nodes[index]!
      const lanes = {
        states: async (ids: readonly string[]) => new Map(ids.map((id) => [id, [state]])),
        attemptsOf: async () =>
          new Map([['msg_1', new Map([[`https://${index}/`, systemClock.wall() - 1_000]])]]),
        command: async ({ command, webhooks }: LaneCommand) => {
          commands.push(`${index} ${command} ${webhooks.map(({ url }) => url).join()}`)
        },
      }
      return new SharedLanes({ lanes, signals, clock: systemClock })
    })
    const before = systemClock.wall()
    // On a busy machine, the other node may respond too late.
    const [state] = await vi.waitFor(async () => {
      const found = (await a!.states(['dst_a'])).get('dst_a')!
      expect(found[0]!.inFlight).toBe(3)
      return found
    })
    expect(state).toMatchObject({ breaker: 'open', pacePerSecond: 10, inFlight: 3 })
    expect(state!.brokenSince! - since).toBeGreaterThan(-ROUNDING_MS)
    expect(state!.brokenSince! - since).toBeLessThan(systemClock.wall() - before + ROUNDING_MS)
    const begun = await vi.waitFor(async () => {
      const found = await a!.attemptsOf([{ id: 'msg_1', destinationId: 'dst_a' }])
      expect([...found.get('msg_1')!.keys()].toSorted()).toEqual(['https://0/', 'https://1/'])
      return found.get('msg_1')!
    })
    for (const at of begun.values()) expect(at).toBeGreaterThan(before - 1_000 - ROUNDING_MS)
    const webhooks = [{ destinationId: 'dst_a', url: URL_A }]
    const names = ['allowNow', 'closeBreakers', 'retryNow'] as const
    for (const command of names) await a!.command({ command, webhooks })
    await expect.poll(() => commands).toHaveLength(6)
    const expected = [0, 1].flatMap((node) => names.map((name) => `${node} ${name} ${URL_A}`))
    expect(commands.toSorted()).toEqual(expected)
  })

  test('are shown even if a node of another version sends fewer fields', async () => {
    await using opened = await openWithDestination(2)
    const [first, second] = opened.nodes.map(({ signals }) => signals)
    const nothing = async (): Promise<void> => undefined
    const lanes = { command: nothing, states: async () => new Map([['dst_a', [CLOSED]]]) }
    const shared = new SharedLanes({
      lanes: { ...lanes, attemptsOf: async () => new Map() },
      signals: first!,
      clock: systemClock,
    })
    const { url, breaker, inFlight } = CLOSED
    second!.onRequest('lanes', async () => ({ states: [['dst_a', [{ url, breaker, inFlight }]]] }))
    const state = async (): Promise<unknown> => (await shared.states(['dst_a'])).get('dst_a')![0]
    await expect.poll(state).toEqual({ ...CLOSED, inFlight: 2 * inFlight })
  })
})
