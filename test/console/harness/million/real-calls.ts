import { expect } from 'vitest'
import { eventually } from '@hookline/testing/run/eventually'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import type { MeasuredService } from '@hookline/testing/service/measured-service'
import { newSource, sendTo } from '@hookline/testing/service/new-source'

/** The sources that receive the calls, their destinations, and an audience. */
export interface Shop {
  readonly web: { readonly id: string; readonly writeKey: string }
  readonly mobile: { readonly id: string; readonly writeKey: string }
  /** Accepts everything. */
  readonly crm: string
  /** Responds with 500 to everything. */
  readonly warehouse: string
  /** Rejects every `Signed Up`. */
  readonly push: string
  /** Disabled. */
  readonly old: string
  readonly audience: string
}

const CALLS = 400
/** The web shop sends two in five calls. */
const WEB_OF_FIVE = 2
const USERS = 40
const BATCH = 20

/** The receivers of the shop's destinations. */
export async function openReceivers(): Promise<Receiver> {
  return openReceiver({
    respond: ({ path, body }) => {
      if (path === '/warehouse') return { status: 500, body: 'out of disk space' }
      if (path === '/push' && body.includes('Signed Up')) return { status: 422, body: 'no device' }
      return 200
    },
  })
}

/** Creates the sources and destinations, sends the calls, and waits until all deliveries that can finish have finished. */
export async function sendRealCalls(service: MeasuredService, receiver: Receiver): Promise<Shop> {
  const shop = await newShop(service, receiver)
  const calls = Array.from({ length: CALLS }, (_, index) => callOf(index))
  const isWeb = (index: number): boolean => index % 5 < WEB_OF_FIVE
  // Alternates between the sources, so that their events are mixed.
  for (let from = 0; from < CALLS; from += BATCH)
    for (const source of [shop.web, shop.mobile]) {
      const batch = calls
        .slice(from, from + BATCH)
        .filter((_, index) => isWeb(index) === (source === shop.web))
      expect(await sendTo(`${service.url}/v1/batch`, source.writeKey, { batch })).toMatchObject({
        status: 200,
      })
    }
  await deliveriesFinished(service, shop)
  return shop
}

async function newShop(service: MeasuredService, receiver: Receiver): Promise<Shop> {
  const { api } = service
  const [web, mobile] = [await newSource(api), await newSource(api)]
  await api.call('PATCH', `sources/${web.id}`, { name: 'Web shop' })
  await api.call('PATCH', `sources/${mobile.id}`, { name: 'Mobile app' })
  const destination = async (sourceId: string, name: string, enabled = true): Promise<string> => {
    const url = new URL(`/${name.toLowerCase().split(' ')[0]}`, receiver.url).href
    const settings = { webhooks: [{ url }] }
    const body = { name, sourceId, type: 'Webhooks', enabled, settings }
    return (await api.call<{ id: string }>('POST', 'destinations', body)).id
  }
  const condition = { trait: 'plan', op: 'equals', value: 'pro' }
  const audience = await api.call<{ id: string }>('POST', 'audiences', {
    name: 'Pros',
    destinationIds: [],
    condition,
  })
  await api.call('POST', 'audiences', {
    name: 'Buyers',
    destinationIds: [],
    condition: { event: 'Order Completed', count: { op: '>=', n: 2 }, within: { days: 7 } },
  })
  return {
    web,
    mobile,
    crm: await destination(web.id, 'CRM'),
    warehouse: await destination(web.id, 'Warehouse'),
    push: await destination(mobile.id, 'Push messages'),
    old: await destination(mobile.id, 'Old tool', false),
    audience: audience.id,
  }
}

const NAMES = ['Order Completed', 'Product Viewed', 'Cart Updated', 'Signed Up', 'Search Performed']

const isIdentify = (index: number): boolean => index % 10 === 3
const isPro = (user: number): boolean => user % 4 === 0

/** The user number of a call. */
function numberOf(index: number): number {
  return (index * 7 + Math.floor(index / 10)) % USERS
}

/** The number of users whom an identify call has made members of the audience. */
function members(): number {
  const identified = [...Array(CALLS).keys()].filter(isIdentify).map(numberOf)
  return new Set(identified.filter(isPro)).size
}

/** A call of realistic size, of any type except alias. Most have a userId. */
function callOf(index: number): object {
  const number = numberOf(index)
  const user = { userId: `user-${number}`, anonymousId: `anon-${number}` }
  const context = {
    ip: `203.0.113.${number}`,
    locale: 'en-GB',
    library: { name: 'analytics.js', version: '2.11.1' },
    page: { path: `/products/${index % 17}`, title: 'A product', search: '?utm_source=mail' },
  }
  if (index % 20 === 1)
    return { type: 'page', anonymousId: user.anonymousId, name: 'Home', context }
  if (index % 20 === 5) return { type: 'screen', ...user, name: 'Basket', context }
  if (index % 20 === 9) return { type: 'group', ...user, groupId: 'g1', traits: { seats: 5 } }
  if (isIdentify(index)) {
    const traits = { plan: isPro(number) ? 'pro' : 'free', city: 'Leeds', age: 20 + number }
    return { type: 'identify', ...user, traits, context }
  }
  const properties = { orderId: `order-${index}`, revenue: (index * 13) % 97, currency: 'EUR' }
  return { type: 'track', ...user, event: NAMES[(index >> 1) % NAMES.length], properties, context }
}

/** Waits for all deliveries except those to the failing warehouse. */
async function deliveriesFinished({ api }: MeasuredService, shop: Shop): Promise<void> {
  const web = (CALLS * WEB_OF_FIVE) / 5
  const check = async (): Promise<void> => {
    const all = await api.listAll<{ state: string; destinationId: string }>('deliveries')
    const isOpen = ({ state, destinationId }: (typeof all)[number]): boolean =>
      state === 'pending' && destinationId !== shop.warehouse
    const { size } = await api.call<{ size: number }>('GET', `audiences/${shop.audience}`)
    const reached = { deliveries: all.length, open: all.filter(isOpen).length, members: size }
    expect(reached).toEqual({ deliveries: 2 * web + (CALLS - web), open: 0, members: members() })
  }
  await eventually(check, 200)
}
