import { Analytics } from '@hookline/client'
import { Recorder } from '@hookline/client/testing'
import { expect, test } from 'vitest'

interface OrderCompleted {
  revenue: number
  coupon?: string
}

type Shop = {
  'Order Completed': OrderCompleted
  'Signed Out': { reason?: string }
  'Plan Changed': { from: string; to: string }
}

// Tested by the compiler: a line below @ts-expect-error that compiles fails the type check.
test('typed events check names and properties', () => {
  const user = { userId: 'u1' }
  const shop = new Recorder<Shop>()
  shop.track({ ...user, event: 'Order Completed', properties: { revenue: 1 } })
  shop.track({ ...user, event: 'Order Completed', properties: { revenue: 1, coupon: 'c' } })
  shop.track({ ...user, event: 'Signed Out' })
  // @ts-expect-error: no such event
  shop.track({ ...user, event: 'Order Complete', properties: { revenue: 1 } })
  // @ts-expect-error: missing required properties
  shop.track({ ...user, event: 'Order Completed' })
  // @ts-expect-error: a property of the wrong type
  shop.track({ ...user, event: 'Order Completed', properties: { revenue: '1' } })
  // @ts-expect-error: the properties of another event
  shop.track({ ...user, event: 'Order Completed', properties: { from: 'a', to: 'b' } })
  // @ts-expect-error: unknown property
  shop.track({ ...user, event: 'Signed Out', properties: { revenue: 1 } })
  // @ts-expect-error: no such event
  expect(shop.tracked('Order Complete')).toHaveLength(1)
  expect(shop.calls).toHaveLength(8)
})

test('calls without required fields do not compile, and throw', () => {
  const recorder = new Recorder()
  const properties: OrderCompleted = { revenue: 1 }
  recorder.track({ anonymousId: 'a1', userId: null, event: 'Any', properties })
  // @ts-expect-error: neither userId nor anonymousId
  expect(() => recorder.track({ event: 'Any' })).toThrow('no_user_anon_id')
  // @ts-expect-error: no event
  expect(() => recorder.track({ userId: 'u1' })).toThrow('event_not_defined')
  // @ts-expect-error: no groupId
  expect(() => recorder.group({ userId: 'u1' })).toThrow('id_required')
  // @ts-expect-error: no previousId
  expect(() => recorder.alias({ userId: 'u1' })).toThrow('id_required')
  // @ts-expect-error: not an object
  expect(() => recorder.identify({ userId: 'u1', traits: 'pro' })).toThrow('traits_not_object')
})

test('a client with typed events accepts no other events', () => {
  const shop: Analytics<Shop> = new Analytics<Shop>('wk_test', { enabled: false })
  // @ts-expect-error: not a client with untyped events
  const any: Analytics = shop
  expect(any).toBe(shop)
})
