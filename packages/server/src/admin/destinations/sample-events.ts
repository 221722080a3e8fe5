import type { DeletionNotice, Event, EventType, PayloadType } from '@hookline/protocol'

const URL = 'https://shop.example/pricing'

const FIELDS: Readonly<Record<EventType, Partial<Event>>> = {
  identify: { traits: { email: 'ada@shop.example', plan: 'team', logins: 5 } },
  track: { event: 'Order Completed', properties: { orderId: 'o-1', revenue: 39.95 } },
  page: {
    name: 'Pricing',
    properties: { path: '/pricing', referrer: '', title: 'Pricing', url: URL },
  },
  screen: {
    name: 'Receipt',
    context: {
      device: { model: 'Sample', type: 'ios' },
      os: { name: 'iOS', version: '19.0' },
      app: { build: '1', name: 'Shop', version: '2.1' },
    },
  },
  group: { groupId: 'sample-group', traits: { name: 'Acme', employees: 42 } },
  alias: { previousId: 'sample-visitor' },
}

/** A sample of this type for the user `sample-user`. @param at the timestamp, as `formatTimestamp` returns it */
export function sampleOf(type: PayloadType, at: string): Event | DeletionNotice {
  const stamped = { userId: 'sample-user', timestamp: at, receivedAt: at }
  if (type === 'delete') return { type, ...stamped }
  const call = { type, messageId: `sample-${type}`, anonymousId: 'sample-visitor', context: {} }
  return { ...call, ...stamped, ...FIELDS[type] }
}
