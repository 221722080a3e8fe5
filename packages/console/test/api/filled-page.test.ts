import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { filledPage } from '../../src/api/filled-page.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** A list of slow pages; pages whose index is in `found` have one item. */
function listOf(pages: number, pageMs: number, found: readonly number[] = []) {
  const requests: { readonly limit: number; readonly cursor?: string }[] = []
  const fetch = async (page: (typeof requests)[number]) => {
    const index = requests.push(page) - 1
    vi.advanceTimersByTime(pageMs)
    const nextCursor = index + 1 < pages ? `after-${index}` : null
    return { data: found.includes(index) ? [index] : [], nextCursor }
  }
  return { requests, fetch }
}

test('requests short pages until one page is filled', async () => {
  const { requests, fetch } = listOf(100, 1, [1, 4, 5, 9])
  const page = await filledPage({ limit: 3, cursor: 'here' }, fetch)
  expect(page).toEqual({ data: [1, 4, 5], nextCursor: 'after-5' })
  expect(requests.slice(0, 3)).toEqual([
    { limit: 3, cursor: 'here' },
    { limit: 3, cursor: 'after-0' },
    { limit: 2, cursor: 'after-1' },
  ])
})

test('an exhausted list has no next page', async () => {
  const { requests, fetch } = listOf(30, 1, [2])
  expect(await filledPage({ limit: 3 }, fetch)).toEqual({ data: [2], nextCursor: null })
  expect(requests).toHaveLength(30)
})

test.each([
  [120, 3],
  [5_000, 1],
])('pages of %i ms each are requested until 300 ms have passed', async (pageMs, count) => {
  const { requests, fetch } = listOf(100, pageMs)
  const page = await filledPage({ limit: 3 }, fetch)
  expect(page).toEqual({ data: [], nextCursor: `after-${count - 1}` })
  expect(requests).toHaveLength(count)
})
