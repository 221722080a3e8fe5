import { Receiver } from '@hookline/testing/receiver/receiver'
import {
  type CreatedSource,
  type RunningService,
  startService,
} from '@hookline/testing/service/running-service'
import { speedUpClock } from './fast-clock.ts'
import { callOf, customer, Draws, type Site, SITES } from './shop.ts'

/** A little over two hours, so that the last hour has a previous one to compare with. */
const BEHIND_MS = 125 * 60_000
const SPEED = 30
const TICK_MS = 100
/** The maximum number of calls per tick. */
const BUSIEST = 24

/** The part of the simulated time, from 0 to 1, during which a receiver fails. */
const OUTAGE = { from: 0.55, to: 0.66 }
const KEY_REVOKED = 0.85

/** Simulates two hours of a shop, and keeps running. Some of its receivers have failed, and one still does. */
export class ShopService implements AsyncDisposable {
  readonly service: RunningService
  readonly destinations: Readonly<Record<string, string>>
  readonly #disposal: AsyncDisposableStack
  readonly #sources: Readonly<Record<Site, CreatedSource>>
  readonly #draws = new Draws()

  private constructor(
    service: RunningService,
    sources: Readonly<Record<Site, CreatedSource>>,
    destinations: Readonly<Record<string, string>>,
    disposal: AsyncDisposableStack,
  ) {
    this.service = service
    this.#sources = sources
    this.destinations = destinations
    this.#disposal = disposal
  }

  /** Resolves after the two hours. */
  static async open(): Promise<ShopService> {
    const disposal = new AsyncDisposableStack()
    const clock = disposal.use(speedUpClock({ behindMs: BEHIND_MS, speed: SPEED }))
    const startedAt = performance.now()
    const part = (): number => (performance.now() - startedAt) / clock.takesMs
    const service = await startService()
    disposal.defer(() => service.discard())
    const sources = await sourcesOf(service)
    const receivers = await receiversOf(part, disposal)
    const destinations = await destinationsOf(service, sources, receivers)
    await computationsOf(service, destinations)
    const shop = new ShopService(service, sources, destinations, disposal)
    await shop.#live(part)
    return shop
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#disposal.disposeAsync()
  }

  /** Sends `share` times the maximum number of calls. */
  async send(share: number): Promise<void> {
    await Promise.all(
      SITES.map(async (site, index) => {
        const count = Math.round((BUSIEST * share) / (index + 1.5))
        if (count === 0) return
        const batch = Array.from({ length: count }, () => ({
          messageId: crypto.randomUUID(),
          ...callOf(site, this.#draws),
        }))
        await this.service.send('/v1/batch', { batch }, this.#sources[site])
      }),
    )
  }

  async #live(part: () => number): Promise<void> {
    let ticks = 0
    await new Promise<void>((resolve, reject) => {
      const timer = setInterval(() => {
        ticks += 1
        this.#tick(ticks, part()).catch(reject)
        if (part() < 1) return
        clearInterval(timer)
        resolve()
      }, TICK_MS)
    })
  }

  async #tick(ticks: number, part: number): Promise<void> {
    // A wave with a smaller one on top, like the traffic in a shop.
    await this.send(0.6 + 0.3 * Math.sin(part * 9) + 0.1 * Math.sin(part * 70))
    if (ticks % 40 === 0)
      await this.service.send('/v1/track', { event: 'Order Completed' }, this.#sources['iOS app'])
    if (ticks % 150 === 0)
      await this.service.send('/v1/track', { userId: 'cus_1' }, this.#sources['Back office'])
    if (ticks === 900)
      await this.service.api.call('POST', 'deletions', { userIds: [customer(3)], suppress: true })
  }
}

async function sourcesOf(service: RunningService): Promise<Record<Site, CreatedSource>> {
  const [web, app, office] = await Promise.all(
    SITES.map(async (name) => {
      const created = await service.api.call<{ id: string; writeKeys: { key: string }[] }>(
        'POST',
        'sources',
        { name },
      )
      return { id: created.id, writeKey: created.writeKeys[0]!.key }
    }),
  )
  await service.api.call('DELETE', `sources/${service.source.id}`)
  return { 'Web shop': web!, 'iOS app': app!, 'Back office': office! }
}

type Receivers = Readonly<Record<'crm' | 'warehouse' | 'mailing' | 'erp', Receiver>>

/** The shop's receivers: one is slow, one has an outage, and one refuses everything after its key is revoked. */
async function receiversOf(part: () => number, disposal: AsyncDisposableStack): Promise<Receivers> {
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
  const open = async (respond: Receiver['respond']): Promise<Receiver> =>
    disposal.use(await new Receiver({ respond }).listen())
  return {
    crm: await open(() => ({ status: 204 })),
    warehouse: await open(async () => {
      await pause(2 + Math.random() * 6)
      return { status: 202, body: '{"queued":true}' }
    }),
    mailing: await open(() => {
      const now = part()
      const isAway = now > OUTAGE.from && now < OUTAGE.to
      return isAway ? { status: 503, body: 'upstream connect error' } : 200
    }),
    erp: await open(() =>
      part() > KEY_REVOKED
        ? {
            status: 401,
            headers: { 'Content-Type': 'application/json' },
            body: '{"error":"The API key was revoked."}',
          }
        : 200,
    ),
  }
}

async function destinationsOf(
  service: RunningService,
  sources: Readonly<Record<Site, CreatedSource>>,
  { crm, warehouse, mailing, erp }: Receivers,
): Promise<Record<string, string>> {
  const create = async (name: string, source: Site, ...webhooks: object[]): Promise<string> => {
    const { id } = await service.api.call<{ id: string }>('POST', 'destinations', {
      name,
      sourceId: sources[source].id,
      type: 'Webhooks',
      enabled: true,
      settings: { webhooks, sharedSecret: 'a-shared-secret-of-the-pictures' },
    })
    return id
  }
  const authorised = { Authorization: 'Bearer of-the-pictures' }
  return {
    crm: await create('CRM', 'Web shop', { url: crm.url }),
    warehouse: await create('Data warehouse', 'Web shop', { url: warehouse.url }, { url: crm.url }),
    mailing: await create('Mailing', 'iOS app', { url: mailing.url }),
    erp: await create('ERP', 'Back office', { url: erp.url, headers: authorised }),
    inspector: await create('Inspector', 'Back office', { url: 'http://inspector.internal/' }),
  }
}

async function computationsOf(
  service: RunningService,
  { crm }: Readonly<Record<string, string>>,
): Promise<void> {
  await service.api.call('POST', 'traits', {
    name: 'Revenue 30d',
    destinationIds: [crm],
    compute: { fn: 'sum', event: 'Order Completed', property: 'revenue', within: { days: 30 } },
  })
  await service.api.call('POST', 'audiences', {
    name: 'Big spenders',
    destinationIds: [crm],
    condition: {
      and: [
        { computedTrait: 'revenue_30d', op: '>=', value: 4_000 },
        { event: 'Order Completed', count: { op: '>=', n: 3 }, within: { days: 7 } },
      ],
    },
  })
}
