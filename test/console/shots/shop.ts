import { seededRandom } from '@hookline/testing/run/seeded-random'

/** The sources of a shop. They send calls of all types except alias, for hundreds of customers. */
export const SITES = ['Web shop', 'iOS app', 'Back office'] as const
export type Site = (typeof SITES)[number]

const PRODUCTS = [
  ['Espresso machine', 389],
  ['Coffee grinder', 129],
  ['Filter papers', 7.5],
  ['House blend, 1 kg', 24.9],
  ['Milk jug', 18],
] as const
const PLANS = ['free', 'plus', 'pro'] as const
const PAGES = ['Home', 'Products', 'Product', 'Cart', 'Help'] as const
const NAMES = ['Ada', 'Bruno', 'Chidi', 'Dagny', 'Emre', 'Freya', 'Goran', 'Hana'] as const
const CUSTOMERS = 400

/** Seeded random choices, so that screenshots always show the same customers. */
export class Draws {
  readonly #random = seededRandom(7)

  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number {
    return Math.floor(this.#random() * end)
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }
}

/** A call from a random customer, as this site sends it. */
export function callOf(site: Site, random: Draws): object {
  const userId = customer(random.below(CUSTOMERS))
  const context = contextOf(site, random)
  if (site === 'Back office') return { ...backOfficeCall(userId, random), context }
  const kind = random.below(100)
  if (kind < 35) return { type: 'page', userId, name: random.of(PAGES), context }
  if (kind < 42) return { ...identifyCall(userId, random), context }
  if (kind < 46)
    return { type: 'screen', anonymousId: `a-${random.below(9_000)}`, name: 'Onboarding', context }
  // Customers without consent to tracking.
  const integrations = kind < 50 ? { integrations: { All: false } } : {}
  return { ...shopping(userId, random), ...integrations, context }
}

/** The id of a customer. */
export function customer(number: number): string {
  return `cus_${(10_000 + number * 7).toString(36)}`
}

function shopping(userId: string, random: Draws): object {
  const [product, price] = random.of(PRODUCTS)
  const quantity = 1 + random.below(3)
  const step = random.below(10)
  if (step < 5)
    return { type: 'track', userId, event: 'Product Viewed', properties: { product, price } }
  if (step < 8)
    return {
      type: 'track',
      userId,
      event: 'Product Added',
      properties: { product, price, quantity },
    }
  return {
    type: 'track',
    userId,
    event: 'Order Completed',
    properties: {
      orderId: `ord_${random.below(1_000_000)}`,
      revenue: Math.round(price * quantity * 100) / 100,
      currency: 'EUR',
      products: [{ product, price, quantity }],
    },
  }
}

function backOfficeCall(userId: string, random: Draws): object {
  const kind = random.below(10)
  if (kind < 6)
    return {
      type: 'track',
      userId,
      event: random.of(['Order Shipped', 'Order Refunded', 'Ticket Closed']),
      properties: { carrier: random.of(['DHL', 'UPS']), weightKg: 1 + random.below(9) },
    }
  if (kind < 9) return identifyCall(userId, random)
  return { type: 'group', userId, groupId: `team_${random.below(40)}`, traits: { plan: 'pro' } }
}

function identifyCall(userId: string, random: Draws): object {
  const name = random.of(NAMES)
  const traits = {
    name,
    email: `${name.toLowerCase()}.${userId}@example.com`,
    plan: random.of(PLANS),
  }
  return { type: 'identify', userId, traits }
}

function contextOf(site: Site, random: Draws): object {
  if (site === 'Back office') return { library: { name: '@hookline/client', version: '0.1.0' } }
  if (site === 'iOS app')
    return {
      library: { name: 'analytics-swift', version: '1.8.1' },
      os: { name: 'iOS', version: '26.1' },
    }
  return {
    library: { name: 'analytics.js', version: '1.77.0' },
    locale: random.of(['en-GB', 'de-DE', 'fr-FR']),
    page: { path: '/products', referrer: 'https://www.example.com/' },
  }
}
