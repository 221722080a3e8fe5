import { once } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { BackendUnavailableError } from '../../src/backend/backend.ts'
import { Channel, ThreadExitedError } from '../../src/threads/channel.ts'
import { nextTurn } from '../../src/util/time/clock.ts'

interface Here {
  readonly said: (text: string) => void
}

interface There {
  readonly double: (number: number) => number
  readonly later: () => Promise<string>
  readonly never: () => Promise<void>
  readonly fail: (error: unknown) => void
  readonly bytes: (block: ArrayBuffer) => number
  readonly anything: (value: unknown) => unknown
}

/** Both ends of a channel, in one thread. */
function pair() {
  const { port1, port2 } = new MessageChannel()
  const said: string[] = []
  const errors: Record<string, Error> = {
    unavailable: new BackendUnavailableError('disk full', { cause: new Error('ENOSPC') }),
    coded: Object.assign(new TypeError('no'), { code: 'ENO', errcode: 11 }),
    own: Object.assign(new Error('mine'), { name: 'OwnError' }),
  }
  const here = new Channel<Here, There>(port1)
  const there = new Channel<There, Here>(port2)
  here.offer({ said: (text) => said.push(text) })
  there.offer({
    double: (number) => number * 2,
    later: async () => {
      await nextTurn()
      return 'late'
    },
    never: () => new Promise(() => undefined),
    fail: (error) => {
      throw errors[error as string] ?? error
    },
    bytes: ({ byteLength }) => byteLength,
    anything: (value) => (value === 'function' ? () => 1 : value),
  })
  onTestFinished(() => here.close())
  return { here, there, said, port1 }
}

/** Counts the messages from now on. */
function countMessages(port: MessagePort): () => number {
  let messages = 0
  port.on('message', () => messages++)
  return () => messages
}

describe('a call', () => {
  test('returns the result of the function at the other end, synchronous or not', async () => {
    const { here } = pair()
    expect(await here.call('double', 21)).toBe(42)
    expect(await here.call('later')).toBe('late')
  })

  test.each([
    [
      'unavailable',
      { name: 'BackendUnavailableError', message: 'disk full', cause: { message: 'ENOSPC' } },
    ],
    ['coded', { name: 'TypeError', message: 'no', code: 'ENO', errcode: 11 }],
    ['own', { name: 'OwnError', message: 'mine' }],
    ['a text', { name: 'Error', message: 'a text' }],
  ])('rejects with the error that the function throws: %s', async (error, expected) => {
    const { here } = pair()
    await expect(here.call('fail', error)).rejects.toMatchObject(expected)
  })

  test('rejects with BackendUnavailableError if the backend is unavailable', async () => {
    const { here } = pair()
    await expect(here.call('fail', 'unavailable')).rejects.toBeInstanceOf(BackendUnavailableError)
  })

  test('transfers buffers to the other end', async () => {
    const { here } = pair()
    const moved = new ArrayBuffer(1024)
    expect(await here.call('bytes', moved, [moved])).toBe(1024)
    expect(moved.byteLength).toBe(0)
  })

  test('rejects if its input or result cannot be cloned, without affecting others in the same tick', async () => {
    const { here } = pair()
    const before = here.call('double', 1)
    const input = here.call('anything', () => 1)
    const result = here.call('anything', 'function')
    const after = here.call('double', 2)
    await expect(input).rejects.toMatchObject({ name: 'DataCloneError' })
    await expect(result).rejects.toMatchObject({ message: expect.stringContaining('cloned') })
    expect(await Promise.all([before, after])).toEqual([2, 4])
  })

  test('rejects if the other end offers no functions', async () => {
    const { port1, port2 } = new MessageChannel()
    const here = new Channel<object, There>(port1)
    onTestFinished(() => here.close())
    const other = new Channel<There, object>(port2)
    await expect(here.call('later')).rejects.toThrow(
      'This side of the channel has no function later.',
    )
    other.close()
  })

  test('rejects if the other end closes before or after it was made', async () => {
    const { here, there } = pair()
    const open = here.call('never')
    await here.call('double', 1)
    there.close()
    await expect(open).rejects.toBeInstanceOf(ThreadExitedError)
    await here.closed
    await expect(here.call('double', 1)).rejects.toBeInstanceOf(ThreadExitedError)
  })
})

describe('messages', () => {
  test('from the same tick are sent as one, in order', async () => {
    const { there, said, port1 } = pair()
    const messages = countMessages(port1)
    for (const text of ['a', 'b', 'c']) {
      there.send('said', text)
      // In separate microtasks, like reads from several sockets.
      await Promise.resolve()
    }
    await expect.poll(() => said).toEqual(['a', 'b', 'c'])
    expect(messages()).toBe(1)
  })

  test('sent before the channel is closed arrive', async () => {
    const { there, said, here } = pair()
    there.send('said', 'the last')
    there.close()
    await here.closed
    expect(said).toEqual(['the last'])
  })

  test('to a closed end are ignored', async () => {
    const { here, there, said } = pair()
    here.close()
    await there.closed
    there.send('said', 'in vain')
    await nextTurn()
    expect(said).toEqual([])
  })
})

test('the compiler checks names, inputs and results', () => {
  const { here } = pair()
  // @ts-expect-error: unknown function
  const unknown = (): unknown => here.call('triple', 1)
  // @ts-expect-error: the input is a number
  const input = (): unknown => here.call('double', 'one')
  // @ts-expect-error: the input is missing
  const missing = (): unknown => here.call('double')
  // @ts-expect-error: the result is a number
  const result = (): Promise<string> => here.call('double', 1)
  expect([unknown, input, missing, result]).toHaveLength(4)
})

test('a port keeps the process alive only while a call is open', async () => {
  const { here, port1 } = pair()
  expect(port1.hasRef()).toBe(false)
  const open = here.call('later')
  expect(port1.hasRef()).toBe(true)
  await open
  expect(port1.hasRef()).toBe(false)
  here.close()
  await once(port1, 'close')
})
