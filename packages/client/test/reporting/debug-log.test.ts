import { describe, expect, test } from 'vitest'
import { openExchange } from '@hookline/testing/client/open-exchange'
import { runProgram } from '@hookline/testing/client/run-program'

const UUID = '[\\da-f-]{36}'

/** The output of a program with 21 calls and this DEBUG, whose first request gets a 503. */
async function printed(DEBUG: string): Promise<string[]> {
  await using exchange = await openExchange({ respond: [503, 200] })
  const endpoint = `http://127.0.0.1:${exchange.receiver.port}`
  await using program = runProgram('track-and-close', [endpoint, '21'], { DEBUG })
  expect(await program.exit()).toBe(0)
  expect(program.stdout).toEqual([])
  return program.stderr.trimEnd().split('\n')
}

describe.concurrent('DEBUG', () => {
  test('"analytics" logs each queued call, each flush with its cause, each response and each retry', async () => {
    const lines = await printed('analytics')
    const patterns = [
      ...Array.from(
        { length: 20 },
        (_, index) => `queued track ${UUID} \\d+ bytes, ${index + 1} waiting`,
      ),
      'flush by size: 20 waiting',
      `queued track ${UUID} \\d+ bytes, 21 waiting`,
      'flush by close\\(\\): 21 waiting',
      'response 503 +to a batch of 20 in \\d+ ms',
      'retry 1 of 10 in \\d+ ms',
      'response 200 +to a batch of 20 in \\d+ ms',
      'response 200 +to a batch of 1 in \\d+ ms',
    ]
    expect(lines).toHaveLength(patterns.length)
    for (const [index, pattern] of patterns.entries()) {
      expect(lines[index]).toMatch(new RegExp(`^analytics ${pattern}$`))
    }
  })

  test('shows only type, messageId and size of a call, and no write key', async () => {
    const text = (await printed('*')).join('\n')
    for (const secret of ['u-private', 'Private', 'secret', 'hidden', 'wk_secret']) {
      expect(text).not.toContain(secret)
    }
  })

  test.for(['analytics', 'express:*,analytics', 'a b analytics', '*'])(
    '%j turns it on',
    async (list) => {
      expect((await printed(list))[0]).toMatch(/^analytics queued/)
    },
  )

  test.for(['', 'analytics2', 'express:*', '*,-analytics'])('%j leaves it off', async (list) => {
    expect(await printed(list)).toEqual([''])
  })
})

test('a logger receives the same lines, and those about drops', async () => {
  const lines: string[] = []
  const logger = { debug: (line: string) => lines.push(line), warn: () => {} }
  const options = { logger, maxQueueMessages: 2, flushAt: 2 }
  await using exchange = await openExchange(options)
  exchange.track(5)
  await exchange.analytics.flush()
  expect(lines.filter((line) => line.includes('drop'))).toEqual([
    'analytics drop: the queue is full, drop-newest',
    'analytics drop: queue has room again, dropped calls: 3',
  ])
})
