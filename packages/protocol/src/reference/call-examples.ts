import type { EventType } from '../event.ts'
import type { JsonObject } from '../json.ts'

const context = {
  ip: '203.0.113.9',
  library: { name: 'shop-backend', version: '2.4.0' },
}

/** A call of each type, as a client sends it: the examples in the docs and in the OpenAPI document. */
export const CALL_EXAMPLES: Readonly<Record<EventType, JsonObject>> = {
  identify: {
    userId: 'u1',
    anonymousId: 'visitor-8f2c',
    traits: { email: 'ada@shop.example', plan: 'team', logins: 5 },
    context,
    messageId: 'example-identify',
    timestamp: '2026-11-21T09:30:00.000Z',
  },
  track: {
    userId: 'u1',
    event: 'Order Completed',
    properties: { orderId: 'o-1', revenue: 39.95, currency: 'EUR' },
    context,
    messageId: 'example-track',
    timestamp: '2026-11-21T09:31:00.000Z',
  },
  page: {
    anonymousId: 'visitor-8f2c',
    name: 'Pricing',
    category: 'Shop',
    properties: {
      path: '/pricing',
      referrer: 'https://search.example/',
      title: 'Pricing',
      url: 'https://shop.example/pricing',
    },
    context,
    messageId: 'example-page',
    timestamp: '2026-11-21T09:32:00.000Z',
  },
  screen: {
    userId: 'u1',
    name: 'Receipt',
    properties: { orderId: 'o-1' },
    context: {
      device: { model: 'Pixel 9', type: 'android' },
      os: { name: 'Android', version: '16' },
      app: { build: '812', name: 'Shop', version: '3.0.1' },
    },
    messageId: 'example-screen',
    timestamp: '2026-11-21T09:33:00.000Z',
  },
  group: {
    userId: 'u1',
    groupId: 'acme',
    traits: { name: 'Acme', employees: 42 },
    context,
    messageId: 'example-group',
    timestamp: '2026-11-21T09:34:00.000Z',
  },
  alias: {
    userId: 'u1',
    previousId: 'visitor-8f2c',
    context,
    messageId: 'example-alias',
    timestamp: '2026-11-21T09:35:00.000Z',
  },
}
