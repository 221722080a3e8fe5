import { expect, test } from 'vitest'
import { DEFAULT_RESPONSES, RequestStore } from '../../src/inspector/inspector.ts'
import { anInspectedRequest } from './an-inspected-request.ts'
import { sharedOf } from './shared-of.ts'

function keeping(...requests: readonly ReturnType<typeof anInspectedRequest>[]) {
  const kept = new RequestStore()
  for (const request of requests) kept.add(request)
  return { kept, shared: sharedOf({ requests: kept, responses: DEFAULT_RESPONSES }) }
}

test('pages have no gaps, even if requests arrive or are removed between them', async () => {
  const requests = Array.from({ length: 5 }, () => anInspectedRequest())
  const { kept, shared } = keeping(...requests)
  const first = await shared.list({}, { limit: 2 })
  kept.add(anInspectedRequest())
  const second = await shared.list({}, { limit: 2, cursor: first.nextCursor! })
  const third = await shared.list({}, { limit: 2, cursor: second.nextCursor! })
  expect(third.nextCursor).toBeNull()
  const listed = [first, second, third].flatMap(({ data }) => data.map(({ id }) => id))
  expect(listed).toEqual(requests.toReversed().map(({ id }) => id))
})

test.each(['node=x', '%', '__proto__=1', '=', 'node=1&node=x'])(
  'an invented cursor, %j, returns no more requests than exist',
  async (cursor) => {
    const { shared } = keeping(anInspectedRequest())
    const { data, nextCursor } = await shared.list({}, { limit: 2, cursor })
    expect(data.length).toBeLessThanOrEqual(1)
    expect(nextCursor).toBeNull()
  },
)
