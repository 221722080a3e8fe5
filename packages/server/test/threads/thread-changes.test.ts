import { expect, test } from 'vitest'
import { ThreadChanges } from '../../src/threads/thread-host.ts'
import { ThreadGone } from '../../src/threads/channel.ts'

/** Whether a promise is settled when everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const onSettled = (): boolean => (settled = true)
  promise.then(onSettled, onSettled)
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

test('a change resolves when the thread has applied it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const changes = new ThreadChanges<string>(() => promise)
  const applied = changes.apply('a')
  expect(await isSettled(applied)).toBe(false)
  resolve()
  expect(await isSettled(applied)).toBe(true)
})

test.for([
  { when: 'has ended before it', apply: () => undefined },
  { when: 'ends meanwhile', apply: () => Promise.reject(new ThreadGone()) },
])(
  'a change of a thread that $when resolves when nothing that the thread had posted can come after it',
  async ({ apply }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const changes = new ThreadChanges<string>(apply, () => promise)
    const applied = changes.apply('a')
    expect(await isSettled(applied)).toBe(false)
    resolve()
    expect(await isSettled(applied)).toBe(true)
  },
)

test('a thread that is ready again gets the changes since it was started, in their order', () => {
  const applied: string[] = []
  let isReady = false
  const changes = new ThreadChanges<string>((change) =>
    isReady ? Promise.resolve(applied.push(change)) : undefined,
  )
  void changes.apply('before the start, so it is in what the thread reads')
  changes.onStart()
  void changes.apply('a')
  void changes.apply('b')
  isReady = true
  changes.onReady()
  expect(applied).toEqual(['a', 'b'])
})
