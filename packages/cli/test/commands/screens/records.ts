import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import type { Receiver } from '@hookline/testing/receiver/receiver'
import type { ApiService } from '@hookline/testing/cli/api-service'

/** Typical names, and hostile ones. */
const NAMES = {
  source: 'Webshop of the northern branch, with a name that is rather long',
  hostileSource: 'x\u001b[31mred\u001b[0m\u202egnp.exe\nsecond line',
  failing: '顧客管理システム（東京本店）の受信側 🎉',
  disabled: 'Marketing',
  accepting: 'z\u200bero\u0007bell',
} as const

/** The ids of the records that commands refer to. */
export interface Records {
  readonly source: string
  readonly hostile: string
  readonly destination: string
  readonly event: string
  readonly delivery: string
  readonly audience: string
  readonly trait: string
  readonly replay: string
  readonly deletion: string
}

interface Answer {
  readonly id: string
  readonly data: readonly { readonly id: string; readonly state: string }[]
  readonly writeKeys: readonly { readonly key: string }[]
  readonly size: number
  readonly delivered: number
  readonly state: string
  readonly audiences: readonly unknown[]
  readonly lastSync: { readonly state: string } | null
}

/** Creates one record of each kind, with some history. Sequentially, so that their order is known. */
export async function makeRecords(
  service: ApiService,
  receivers: { readonly failing: Receiver; readonly accepting: Receiver },
): Promise<Records> {
  const make = new Maker(service)
  const shop = await make.post('sources', { name: NAMES.source })
  const hostile = await make.post('sources', { name: NAMES.hostileSource })
  const failing = await make.destination(shop.id, NAMES.failing, receivers.failing.url)
  const accepting = await make.destination(hostile.id, NAMES.accepting, receivers.accepting.url)
  await make.post('destinations', {
    sourceId: shop.id,
    type: 'Webhooks',
    name: NAMES.disabled,
    settings: { webhooks: [{ url: 'https://crm.example/hook' }], sharedSecret: null },
  })
  const audience = await make.post('audiences', {
    name: '東京の顧客',
    condition: { event: 'Order Completed' },
    destinationIds: [],
  })
  const trait = await make.post('traits', {
    name: 'Total of all orders of this customer in euros',
    compute: { fn: 'sum', event: 'Order Completed', property: 'total' },
    destinationIds: [],
  })
  // The first sync may or may not count an event that arrives during it.
  for (const path of [`audiences/${audience.id}`, `traits/${trait.id}`])
    await make.until(path, ({ lastSync }) => lastSync?.state === 'done')
  await make.tokens()
  await make.calls(shop.writeKeys[0]!.key, hostile.writeKeys[0]!.key)
  await make.until('deliveries', ({ data }) => data.length === 4 && settled(data))
  await make.until(`audiences/${audience.id}`, ({ size }) => size === 1)
  await make.until(`traits/${trait.id}`, ({ size }) => size === 1)
  await make.until('profiles/u1', ({ audiences }) => audiences.length === 1)
  await make.until('event-names?type=track', ({ data }) => data.length === 4)
  const replay = await make.post('replays', {
    destinationId: accepting.id,
    states: ['delivered'],
  })
  await make.until(`replays/${replay.id}`, ({ delivered }) => delivered === 3)
  const deletion = await make.post('deletions', {
    userIds: ['gone\u001b[2J'],
    sourceIds: [hostile.id],
    suppress: true,
  })
  await make.until(`deletions/${deletion.id}`, ({ state }) => state === 'finished')
  const deliveries = await make.get(`deliveries?destinationId=${failing.id}`)
  const events = await make.get(`events?sourceId=${shop.id}`)
  return {
    source: shop.id,
    hostile: hostile.id,
    destination: failing.id,
    event: events.data[0]!.id,
    delivery: deliveries.data[0]!.id,
    audience: audience.id,
    trait: trait.id,
    replay: replay.id,
    deletion: deletion.id,
  }
}

function settled(deliveries: readonly (Answer['data'][number] & { attempts?: unknown[] })[]) {
  return deliveries.every(({ attempts }) => attempts?.length === 1)
}

class Maker {
  readonly #service: ApiService
  readonly #token: string

  constructor(service: ApiService) {
    this.#service = service
    this.#token = readFileSync(service.tokenFile, 'utf8').trim()
  }

  get(path: string): Promise<Answer> {
    return this.#request(`api/v1/${path}`, `Bearer ${this.#token}`)
  }

  post(path: string, body: object): Promise<Answer> {
    return this.#request(`api/v1/${path}`, `Bearer ${this.#token}`, body)
  }

  destination(sourceId: string, name: string, url: string): Promise<Answer> {
    const settings = { webhooks: [{ url }], sharedSecret: null }
    return this.post('destinations', { sourceId, type: 'Webhooks', name, enabled: true, settings })
  }

  async tokens(): Promise<void> {
    const name = 'Continuous integration of the northern branch, runner 7'
    await this.post('tokens', { name, role: 'viewer', expiresAt: '2099-01-01T00:00:00.000Z' })
    await this.post('tokens', { name: 'ops', role: 'editor' })
  }

  async calls(shop: string, hostile: string): Promise<void> {
    const track = (key: string, messageId: string, userId: string, event: string) =>
      this.#request('v1/track', `Basic ${Buffer.from(`${key}:`).toString('base64')}`, {
        messageId,
        userId,
        event,
        properties: { total: 39.95 },
      })
    await track(shop, 'm1', 'u1', 'Order Completed')
    await track(hostile, 'm2', '山田太郎@example.co.jp', '注文が完了しました、ありがとうございます')
    // An id cannot contain control characters.
    await track(hostile, 'm3', 'eve\u202e[8m', 'a\u001b]0;title\u0007\u202eb')
    await track(hostile, 'm4', 'a-user-with-an-id-that-is-as-long-as-a-sentence', 'Page Viewed')
  }

  async until(path: string, isReached: (answer: Answer) => boolean): Promise<void> {
    const look = async () => {
      const answer = await this.get(path)
      expect(isReached(answer), `${path}: ${JSON.stringify(answer).slice(0, 2000)}`).toBe(true)
    }
    await eventually(look)
  }

  async #request(path: string, authorization: string, body?: object): Promise<Answer> {
    const response = await fetch(`${this.#service.url}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text) as Answer
  }
}
