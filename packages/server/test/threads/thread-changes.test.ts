import { expect, test } from 'vitest'
import { ThreadChanges } from '../../src/threads/thread-host.ts'
import { ThreadExitedError } from '../../src/threads/channel.ts'

/** Whether a promise is settled after one turn of the event loop. */
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
  { when: 'has already exited', apply: () => undefined },
  { when: 'exits in the meantime', apply: () => Promise.reject(new ThreadExitedError()) },
])(
  'a change for a thread that $when resolves after the last message of the thread',
  async ({ apply }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const changes = new ThreadChanges<string>(apply, () => promise)
    const applied = changes.apply('a')
    expect(await isSettled(applied)).toBe(false)
    resolve()
    expect(await isSettled(applied)).toBe(true)
  },
)

test('a restarted thread gets the changes since its start, in order', () => {
  const applied: string[] = []
  let isReady = false
  const changes = new ThreadChanges<string>((change) =>
    isReady ? Promise.resolve(applied.push(change)) : undefined,
  )
  void changes.apply('before the start, so the thread reads it at startup')
  changes.onStart()
  void changes.apply('a')
  void changes.apply('b')
  isReady = true
  changes.onReady()
  expect(applied).toEqual(['a', 'b'])
})
