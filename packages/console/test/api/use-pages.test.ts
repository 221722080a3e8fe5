import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { pagesOptions } from '../../src/api/use-pages.ts'

test('a list of many pages causes no more requests over time than a list of one page', async () => {
  const requests: (string | undefined)[] = []
  const options = pagesOptions<number>({
    queryKey: ['numbers'],
    fetch: async ({ cursor }) => {
      requests.push(cursor)
      return { data: [requests.length], nextCursor: `after-${requests.length}` }
    },
    refetchMs: (items) => (items.includes(99) ? false : 1_500),
  })
  const observer = new InfiniteQueryObserver(new QueryClient(), options)
  const { refetchInterval } = options
  if (typeof refetchInterval !== 'function') throw new Error('The interval depends on the list.')
  const intervalMs = () => refetchInterval(observer.getCurrentQuery())
  expect(intervalMs()).toBe(1_500)
  await observer.refetch()
  expect(intervalMs()).toBe(1_500)
  for (let page = 2; page <= 20; page += 1) await observer.fetchNextPage()
  expect([requests.length, intervalMs()]).toEqual([20, 30_000])
  await observer.refetch()
  expect(requests.length).toBe(40)
})
