import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

interface Profile {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
  readonly traits: Readonly<Record<string, { readonly value: unknown }>>
  readonly audiences: readonly { readonly key: string }[]
}

/** A service with an audience of buyers, and the memberships announced to its receiver. */
async function openShop() {
  await using stack = new AsyncDisposableStack()
  const receiver = stack.use(await openReceiver())
  const service = stack.use(await startService())
  const destinationIds = [await service.createDestination({ urls: [receiver.url] })]
  const condition = { event: 'Order Completed' }
  await service.api.call('POST', 'audiences', { name: 'Buyers', destinationIds, condition })
  const open = stack.move()
  return {
    service,
    receiver,
    announced: (): string[] =>
      receiver.requests
        .map(({ body }) => JSON.parse(body.toString()))
        .filter(({ context }) => context?.audience !== undefined)
        .map(({ userId, traits }) => `${userId} ${traits.buyers}`),
    profile: (userId: string): Promise<Profile> =>
      service.api.call<Profile>('GET', `profile?userId=${encodeURIComponent(userId)}`),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

test('two users of one device remain separate, and the deletion of one does not affect the other', async () => {
  await using shop = await openShop()
  const { service, receiver, announced, profile } = shop
  const tablet = { anonymousId: 'tablet-1' }
  await service.send('/v1/identify', { ...tablet, userId: 'bob', traits: { plan: 'pro' } })
  await service.send('/v1/track', { ...tablet, userId: 'bob', event: 'Order Completed' })
  await service.eventually(() => expect(announced()).toEqual(['bob true']))
  await service.send('/v1/identify', { ...tablet, userId: 'alice', traits: { plan: 'free' } })
  await service.eventually(async () => {
    const { traits } = await profile('alice')
    expect(traits['plan']?.value).toBe('free')
  })
  const bob = await profile('bob')
  expect(bob).toMatchObject({ userIds: ['bob'], anonymousIds: ['tablet-1'] })
  expect(bob.traits['plan']?.value).toBe('pro')
  expect((await profile('alice')).audiences).toEqual([])

  await service.api.call('POST', 'deletions', { userIds: ['alice'] })
  await receiver.waitFor(5)
  await service.eventually(() => expect(profile('alice')).rejects.toThrow('404'))
  // The restart also skips the final check, which would report deleted events as missing.
  await service.restart()
  const { audiences, traits } = await profile('bob')
  expect(audiences.map(({ key }) => key)).toEqual(['buyers'])
  expect(traits['plan']?.value).toBe('pro')
  expect(announced()).toEqual(['bob true'])
})

test('a placeholder id does not link users', async () => {
  await using shop = await openShop()
  const { service, profile, announced } = shop
  for (const anonymousId of ['undefined', '0', '00000000-0000-0000-0000-000000000000'])
    for (const userId of ['u1', 'u2', 'u3'])
      await service.send('/v1/identify', { userId, anonymousId, traits: { seen: anonymousId } })
  await service.send('/v1/track', { userId: 'u1', event: 'Order Completed' })
  await service.eventually(() => expect(announced()).toEqual(['u1 true']))
  for (const userId of ['u1', 'u2', 'u3'])
    expect(await profile(userId)).toMatchObject({
      userIds: [userId],
      anonymousIds: [],
      unlinkedIds: { placeholders: 3 },
    })
})

test('a timestamp in the future does not freeze a trait', async () => {
  await using shop = await openShop()
  const { service, profile } = shop
  const identify = (plan: string, more: object) =>
    service.send('/v1/identify', { userId: 'u1', traits: { plan }, ...more })
  await identify('wrong', { timestamp: '2099-01-01T00:00:00Z' })
  await identify('right', {})
  await service.eventually(async () => {
    const { traits } = await profile('u1')
    expect(traits['plan']?.value).toBe('right')
  })
})

test('a profile can be found by an id prefix, an email address or a trait', async () => {
  await using shop = await openShop()
  const { service } = shop
  await service.send('/v1/identify', {
    userId: 'customer-77',
    anonymousId: 'phone-77',
    traits: { email: 'Ada@Example.org', plan: 'pro' },
  })
  const found = async (query: string): Promise<string[]> => {
    const { data } = await service.api.call<{ data: Profile[] }>('GET', `profiles?${query}`)
    return data.flatMap(({ userIds }) => userIds)
  }
  for (const query of [
    '',
    'search=customer-7',
    'search=phone-77',
    'search=ada%40example.org',
    'trait.plan=PRO',
  ])
    await service.eventually(async () => expect(await found(query), query).toEqual(['customer-77']))
  for (const query of ['search=77', 'trait.plan=free', 'search=ada'])
    expect(await found(query), query).toEqual([])
  await expect(found('trait.=x')).rejects.toThrow('400')
  await expect(found('plan=pro')).rejects.toThrow('400')
  await expect(found('search=a&trait.plan=x')).rejects.toThrow('400')
})
