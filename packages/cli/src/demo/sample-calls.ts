import type { EventType, JsonObject } from '@hookline/protocol'

/** A call in the demo. Its messageId identifies its delivery. */
export interface SampleCall extends JsonObject {
  readonly type: EventType
  readonly messageId: string
}

export const DELETED_USER = 'u1'

/** One call of each type: a visitor becomes a customer. */
export const SAMPLE_CALLS: readonly SampleCall[] = [
  {
    type: 'page',
    messageId: 'demo-page',
    anonymousId: 'visitor-1',
    name: 'Pricing',
    properties: { path: '/pricing', title: 'Pricing', url: 'https://shop.example/pricing' },
  },
  {
    type: 'identify',
    messageId: 'demo-identify',
    userId: DELETED_USER,
    anonymousId: 'visitor-1',
    traits: { email: 'ada@shop.example', plan: 'team' },
  },
  {
    type: 'track',
    messageId: 'demo-track',
    userId: DELETED_USER,
    event: 'Order Completed',
    properties: { orderId: 'o-1', revenue: 39.95, currency: 'EUR' },
  },
  {
    type: 'screen',
    messageId: 'demo-screen',
    userId: DELETED_USER,
    name: 'Receipt',
    context: { app: { name: 'Shop', version: '2.1' }, os: { name: 'iOS', version: '19.0' } },
  },
  {
    type: 'group',
    messageId: 'demo-group',
    userId: DELETED_USER,
    groupId: 'acme',
    traits: { name: 'Acme', employees: 42 },
  },
  { type: 'alias', messageId: 'demo-alias', previousId: DELETED_USER, userId: 'customer-7' },
]

export const SAMPLE_AUDIENCE = {
  name: 'Recent buyers',
  condition: { event: 'Order Completed', within: { seconds: 3 } },
} as const

/** The alias call links these users. */
export const BUYERS: readonly string[] = [DELETED_USER, 'customer-7']
